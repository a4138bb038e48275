import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from ttstack.system_desc import SystemDesc, digest, dump, from_dict, load, loads, presets, to_dict
from ttstack.system_desc.sources import figures, find_section

PRESETS = ("blackhole_p100a", "blackhole_p150", "wormhole", "wormhole_2024", "wormhole_n300", "wormhole_t3000")


def test_presets_are_listed() -> None:
    assert presets() == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_every_figure_has_a_source(name: str) -> None:
    assert load(name).unsourced() == ()


@pytest.mark.parametrize("name", PRESETS)
def test_no_citation_is_without_a_figure(name: str) -> None:
    for chip in load(name).chips:
        paths = (*figures(chip), "supported_data_types", "pcie", "ethernet", "ttnn")
        cited = {find_section(chip.sources, path) for path in paths}
        assert set(chip.sources) <= cited


def test_a_figure_without_source_is_reported() -> None:
    values = to_dict(load("wormhole_n300"))
    del values["chips"][1]["sources"]["l1.size_bytes"]
    del values["sources"]["links"]
    assert from_dict(values).unsourced() == ("links", "chips[1].l1.size_bytes")


def test_the_mesh_of_one_chip_needs_no_source(tmp_path: Path) -> None:
    (file := tmp_path / "mine.yaml").write_text(
        "name: mine\nchips:\n  - base: wormhole.yaml\n    grid: [7, 8]\n    sources: {grid: harvested}\n"
    )
    assert load(file).unsourced() == ()


@pytest.mark.parametrize("name", PRESETS)
def test_yaml_round_trip(name: str) -> None:
    desc = load(name)
    assert loads(dump(desc)) == desc
    assert f"\n  grid: [{desc.chips[0].grid[0]}, {desc.chips[0].grid[1]}]\n" in dump(desc)


@pytest.mark.parametrize("name", PRESETS)
def test_dict_round_trip(name: str) -> None:
    desc = load(name)
    again = from_dict(to_dict(desc))
    assert again == desc
    assert hash(again) == hash(desc)


def test_digest_is_of_the_figures_alone() -> None:
    desc = load("wormhole")
    bare = from_dict(to_dict(desc, sources=False))
    assert bare.chips[0].sources == {}
    assert digest(bare) == digest(desc)
    assert digest(load("wormhole_n300")) != digest(desc)
    assert re.fullmatch("[0-9a-f]{64}", digest(desc))


def test_n150_figures() -> None:
    chip = load("wormhole").chips[0]
    assert (chip.num_cores, chip.l1_base, chip.l1_end) == (64, 103712, 1499136 - 32768)
    assert chip.l1_usable_bytes == 1499136 - 103712 - 32768
    assert (chip.dram_banks, chip.dram_usable_bytes_per_bank) == (12, 1071199520)
    assert chip.dram_end - chip.dram_base == chip.dram_usable_bytes_per_bank
    assert (chip.clock_hz, chip.cycles_to_ns(16)) == (1e9, 16.0)
    assert chip.matrix.matmul_cycles_per_tile.at("HiFi4") == 64
    assert chip.vector.cycles_of("tanh_fp32") == 1601
    assert chip.vector.cycles_of("no_such_function") == chip.vector.default_cycles_per_tile


def test_n300_has_a_harvested_chip() -> None:
    desc = load("wormhole_n300")
    assert [chip.grid for chip in desc.chips] == [(8, 8), (7, 8)]
    assert [chip.num_cores for chip in desc.chips] == [64, 56]
    assert (desc.num_chips, desc.mesh_shape, desc.worker_grid) == (2, (1, 2), (7, 8))
    assert desc.chips[1].pcie is None
    assert desc.chips[0] == load("wormhole").chips[0]
    assert desc.chips[1].source_of("grid") != desc.chips[0].source_of("grid")


def test_p150_figures() -> None:
    chip = load("blackhole_p150").chips[0]
    assert (chip.arch, chip.num_cores, chip.dram_banks) == ("blackhole", 130, 8)
    assert chip.cycles_to_ns(1.35e9) == pytest.approx(1e9)


def test_a_description_is_frozen() -> None:
    chip = load("wormhole").chips[0]
    with pytest.raises(ValueError, match="frozen"):
        chip.grid = (1, 1)
    with pytest.raises(TypeError, match="frozen"):
        chip.vector.cycles_per_tile["exp"] = 1.0


def _models(model: type[BaseModel]) -> set[type[BaseModel]]:
    found = {model}
    for field in model.model_fields.values():
        for part in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, BaseModel):
                found |= _models(part)
    return found


def test_every_field_says_its_unit() -> None:
    units = "bytes|cycles|nanosec|hertz|count|ratio|address|rows and columns|coordinates|text|section|index|high"
    models = _models(SystemDesc)
    assert len(models) > 20
    for model in models:
        for name, field in model.model_fields.items():
            assert re.search(units, field.description or ""), f"{model.__name__}.{name}"


def test_import_needs_no_mlir() -> None:
    code = (
        "import sys, ttstack.system_desc as s; s.load('wormhole');"
        "sys.exit(any(m.split('.')[0] in ('torch', 'torch_mlir', 'numpy') for m in sys.modules))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
