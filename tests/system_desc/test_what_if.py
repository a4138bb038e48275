"""What-ifs: every figure can be asked, changes what depends on it, and is refused where it cannot be meant."""

import json
from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import pytest

from tests.every import for_every
from tests.system_desc.priced import placed_ops, predictions
from ttstack.diagnostics import SystemDescError
from ttstack.system_desc import SystemDesc, load, presets
from ttstack.system_desc.fields import SYSTEM, dimension_at, figure_at, unpriced_reason
from ttstack.system_desc.plausible import FAR
from ttstack.system_desc.sources import figures
from ttstack.system_desc.unpriced import DESCRIBING, Unpriced
from ttstack.system_desc.what_if import what_if

SYSTEM_DESC = load("wormhole_n300")
PATHS = tuple(figures(SYSTEM_DESC.chips[0]))
NUMBERS = tuple(path for path in PATHS if isinstance(figure_at(SYSTEM_DESC.chips[0], path), int | float))
MEASURED = tuple(path for path in NUMBERS if (d := dimension_at(path)) is not None and d.units)


def unit_of(path: str) -> str:
    """The base unit of a figure's quantity; nothing of a count or a ratio."""
    dimension = dimension_at(path)
    return next((unit for unit, factor in dimension.units.items() if factor == 1), "") if dimension else ""


def spelled(path: str, value: Any) -> str:
    if isinstance(value, int | float):
        return f"{value!r}{unit_of(path)}"
    return json.dumps(value)


def asked(*texts: str, desc: SystemDesc = SYSTEM_DESC) -> SystemDesc:
    return what_if(desc, texts).system


def refused(*texts: str, desc: SystemDesc = SYSTEM_DESC) -> tuple[str, ...]:
    with pytest.raises(SystemDescError) as caught:
        what_if(desc, texts)
    return caught.value.diagnostic.notes


@pytest.mark.parametrize("name", presets())
def test_every_figure_can_be_asked(name: str) -> None:
    """All at once, each as it is, by its path: nothing changes."""
    desc = load(name)
    chip = desc.chips[-1]
    same = desc.model_copy(update={"chips": (chip,) * len(desc.chips)})
    paths = [p for p in figures(chip) if "cycles_per_tile" not in p or "vector" not in p]
    changes = [f"{p}={spelled(p, figure_at(chip, p))}" for p in paths]
    changes += [f"vector.cycles_per_tile.{n}={v!r}" for n, v in chip.vector.cycles_per_tile.items()]
    found = asked(*changes, desc=same)
    bare = {"sources": {}}
    assert [c.model_copy(update=bare) for c in found.chips] == [c.model_copy(update=bare) for c in same.chips]


@cache
def before() -> tuple[list[Any], list[dict[str, float]]]:
    ops = list(placed_ops(SYSTEM_DESC.chips[0]))
    return ops, list(predictions(ops, SYSTEM_DESC))


FACTORS = (2, 0.5, 0.25, 0.125)
"""What figures are multiplied with, 100 where one is 0."""


def multiplied(path: str, factor: float) -> str:
    value = figure_at(SYSTEM_DESC.chips[0], path)
    changed = (value or 100) * factor
    return f"{path}={spelled(path, int(changed) if isinstance(value, int) else changed)}"


def moving(paths: Sequence[str], factor: float) -> set[str]:
    """Those of the figures that change a term of some op: all change at once, and halves of them where that is told."""
    ops, terms = before()
    try:
        desc = asked(*(multiplied(path, factor) for path in paths))
    except (
        SystemDescError
    ):  # contradicts another figure: a share above 1, text of kernels beyond the ring that holds it
        moved = len(paths) > 1
    else:
        moved = any(one != other for one, other in zip(predictions(ops, desc), terms, strict=True))
    if len(paths) == 1 or not moved:
        return {*paths} if moved else set()
    middle = len(paths) // 2
    return moving(paths[:middle], factor) | moving(paths[middle:], factor)


@for_every("path", [p for p in NUMBERS if unpriced_reason(p) is None])
def test_a_figure_changes_a_prediction(path: str) -> None:
    assert any(moving([path], factor) for factor in FACTORS)


@pytest.mark.parametrize("factor", FACTORS)
def test_a_figure_that_is_said_to_change_no_prediction_changes_none(factor: float) -> None:
    said = [p for p in NUMBERS if unpriced_reason(p) not in (None, Unpriced.JUDGES)]
    assert len(said) > 20
    assert moving(said, factor) == set()
    assert moving([*said, "clock.nominal_hz"], factor) == {"clock.nominal_hz"}


def test_what_is_said_to_change_nothing_is_a_figure_and_said() -> None:
    assert set(PATHS) >= DESCRIBING
    notes = what_if(SYSTEM_DESC, ["noc.interface_cycles=10", "calibration.matmul.error=0"]).notes
    assert [note.split(" ", 1)[0] for note in notes] == ["noc.interface_cycles", "calibration.matmul.error"]
    assert all("no predicted time depends on it" in note for note in notes)


@for_every("path", MEASURED)
def test_a_bare_number_far_from_the_figure_is_refused_with_a_unit(path: str) -> None:
    value = figure_at(SYSTEM_DESC.chips[0], path)
    if not value:
        return
    for bare in (max(value // (FAR * 10), 1) if isinstance(value, int) else value / (FAR * 10), value * FAR * 10):
        if 1 / FAR <= bare / value <= FAR:
            continue
        (note,) = refused(f"{path}={bare!r}")
        assert note.startswith(f"'{path}={bare!r}' is {bare!r} {unit_of(path)}, where the device has ")
        assert f"write the unit, as in {path}={bare!r}" in note


@pytest.mark.parametrize(
    ("change", "end"),
    [
        ("clock=1.2", "is 1.2 Hz, where the device has 1 GHz: write the unit, as in clock=1.2GHz"),
        ("l1_size=2", "is 2 B, where the device has 1.42969 MiB: write the unit, as in l1_size=2MiB"),
        ("dram_peak=600", "is 600 B/s, where the device has 288 GB/s: write the unit, as in dram_peak=600GB/s"),
        ("base_ns=2", "is 2 ns, where the device has 2.456 us: write the unit, as in base_ns=2us"),
    ],
)
def test_the_unit_that_was_meant(change: str, end: str) -> None:
    assert refused(change) == (f"'{change}' {end}",)
    assert asked(end.rpartition(" ")[2]) != SYSTEM_DESC


def test_zero_and_any_number_with_a_unit_are_taken() -> None:
    chip = asked("base_ns=0,clock=1.2Hz").chips[0]
    assert (chip.launch.base_ns, chip.clock_hz) == (0, 1.2)


def test_several_add_up() -> None:
    found = asked("clock=1.2GHz", "l1_size=2MiB, dram.routers=[" + "[0, 1]," * 11 + "[0, 2]]")
    assert {(c.clock_hz, c.l1.size_bytes, c.dram.routers[-1]) for c in found.chips} == {(1.2e9, 2**21, (0, 2))}
    assert asked("clock=1.2GHz", "clock.nominal_hz=1.2GHz").chips[0].clock_hz == 1.2e9


def test_one_figure_twice() -> None:
    (note,) = refused("clock=1.2GHz", "nominal_hz=1.3GHz")
    assert note == "clock.nominal_hz is set twice: clock=1.2GHz, nominal_hz=1.3GHz"


def test_channels_bring_what_goes_with_them() -> None:
    fewer, notes = what_if(SYSTEM_DESC, ["dram.num_channels=6"])
    for chip in fewer.chips:
        assert (chip.dram.num_channels, chip.dram.grid, len(chip.dram.routers)) == (6, (1, 6), 6)
        assert chip.dram.interleaved_read_bytes_per_second == 185e9 / 2
    assert "dram.peak_bytes_per_second follows: 1.44e+11" in notes
    same_peak = asked("channels=24,dram_peak=288GB/s").chips[0].dram
    assert (len(same_peak.bank_workers), same_peak.peak_bytes_per_second) == (24, 288e9)


@pytest.mark.parametrize(
    ("change", "grid"), [("cores=4x8", (4, 8)), ("cores=32", (4, 8)), ("grid=56", (7, 8)), ("cores=1", (1, 1))]
)
def test_cores_are_a_grid(change: str, grid: tuple[int, int]) -> None:
    assert {chip.grid for chip in asked(change).chips} == {grid}


def test_a_count_of_cores_that_no_grid_has() -> None:
    (note,) = refused("cores=37")
    assert note.endswith("has 37 cores; write 6x6, 36 cores or 5x8, 40 cores")
    (note,) = refused("cores=0")
    assert note.endswith("write 1x1, 1 cores")


def test_a_larger_grid_brings_its_die() -> None:
    chip = asked("grid=12x12").chips[0]
    assert (chip.tensix_grid, chip.noc.grid, len(chip.noc.worker_columns)) == ((12, 12), (14, 14), 12)
    assert refused("grid=12x12,tensix_grid=10x8")[0].endswith("grid: 12x12 workers do not fit tensix_grid, 10x8")


def test_a_share_is_a_ratio_or_a_rate() -> None:
    for change in ("dram.interleaved_read=0.5", "dram.interleaved_read=144/288", "dram.interleaved_read=144GB/s"):
        assert asked(change).chips[0].dram.interleaved_read_fraction == 0.5
    assert asked("dram.interleaved_read=144GB/s,dram_peak=576GB/s").chips[0].dram.interleaved_read_fraction == 0.25
    assert refused("dram.interleaved_read=300GB/s")[0].endswith("less than or equal to 1, got 1.0416666666666667")


def test_figures_of_the_system() -> None:
    assert {link.channels for link in asked("links.channels=4").links} == {4}
    assert asked("links=[{from_chip: 1, to_chip: 0, channels: 3}]").links[0].channels == 3
    assert set(SYSTEM) >= {"mesh_shape", "links"}
    assert "17 channels end at chip 0, which has 16 Ethernet links" in refused("links.channels=17")[0]


def test_what_a_chip_lacks_is_left() -> None:
    first, second = asked("pcie.latency_ns=1us").chips
    assert attrgetter("pcie.latency_ns")(first) == 1000
    assert second.pcie is None


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ("dram.routers=[[0, 1", "'[[0, 1' is not a list"),
        ("grid=[[", "'[[' is not a list"),
        ("arch=blackhole", "'arch' is not a field of a chip"),
        ("mesh_shape=2x2", "mesh_shape: 2x2 is not the number of chips, 2"),
        ("l1_size=128KiB", "chips[0].l1.size_bytes: 131072 bytes leave nothing after unreserved_base 103712"),
    ],
)
def test_what_cannot_be(change: str, note: str) -> None:
    assert refused(change)[0].startswith(note)


def test_a_release_brings_its_figures_and_other_changes_come_after() -> None:
    older = asked("ttnn=0.54,clock=0.5GHz,vector.cycles_per_tile.gelu=5cycles").chips[0]
    assert (older.ttnn, older.clock_hz, older.movement.head_tiles) == ("0.54", 0.5e9, 1)
    assert (older.vector.cycles_per_tile["gelu"], older.vector.cycles_per_tile["exp"]) == (5, 2061)
    with pytest.raises(SystemDescError, match="'new' is not a version of ttnn"):
        asked("ttnn=new")
