"""Rates are shares of their peaks; descriptions that still state rates load as the same device."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc import ChipDesc, from_dict, load, loads, to_dict
from ttstack.system_desc.shares import RATES
from ttstack.system_desc.sources import figures
from ttstack.system_desc.upgrade import upgrade
from ttstack.system_desc.yaml_writer import to_yaml

PRESETS = ("wormhole", "blackhole_p150")


def before(name: str) -> dict[str, Any]:
    """A preset's values as they were written before, with rates."""
    values = to_dict(load(name))
    (chip,) = values["chips"]
    for rate in RATES:
        *sections, share = rate.share.split(".")
        part, peak = chip, attrgetter(rate.peak)(load(name).chips[0])
        for section in sections:
            part = part[section]
        parts = chip["dram"]["num_channels"] if rate.parts else 1
        part[rate.rate.rpartition(".")[2]] = part.pop(share) * peak / parts
        if rate.share in chip["sources"]:
            chip["sources"][rate.rate] = chip["sources"].pop(rate.share)
    return values


def assert_same(found: ChipDesc, wanted: ChipDesc) -> None:
    assert found.sources == wanted.sources
    for path in figures(wanted):
        if path.startswith(("vector.cycles_per_tile", "calibration", "source_errors")):
            continue
        value, expected = attrgetter(path)(found), attrgetter(path)(wanted)
        assert value == (pytest.approx(expected, rel=1e-15) if isinstance(expected, float) else expected), path


@pytest.mark.parametrize("name", PRESETS)
def test_every_share_is_of_a_peak_and_follows_it(name: str) -> None:
    """The rates that the cost model asks for, at twice their peaks."""
    chip = load(name).chips[0]
    for part, peak in (
        (chip.dram, "peak_bytes_per_second"),
        (chip.noc, "link_bytes_per_cycle"),
        (chip.ethernet, "link_bytes_per_second"),
        (chip.pcie, "peak_bytes_per_second"),
    ):
        assert part is not None
        twice = part.model_copy(update={peak: 2 * getattr(part, peak)})
        rates = [n for n, v in vars(type(part)).items() if isinstance(v, property)]
        assert rates
        for rate in rates:
            assert getattr(twice, rate) == 2 * getattr(part, rate), rate


@pytest.mark.parametrize("name", PRESETS)
def test_values_and_files_that_state_rates(name: str) -> None:
    wanted, values = load(name).chips[0], before(name)
    assert_same(from_dict(values).chips[0], wanted)
    assert_same(loads(yaml.safe_dump(values)).chips[0], wanted)


def test_a_rate_over_a_base_is_a_share_of_its_peak(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: a\nchips:\n- base: wormhole\n  dram:\n    interleaved_read_bytes_per_second: 144 GB/s\n"
        "    channel_read_bytes_per_second: 12e9\n  noc:\n    l1_read: {bytes_per_cycle: 16}\n"
        "  sources: {dram.channel_read_bytes_per_second: a guess}\n"
    )
    chip, preset = load(path).chips[0], load("wormhole").chips[0]
    shares = chip.dram.interleaved_read_fraction, chip.dram.channel_read_fraction, chip.noc.l1_read.link_fraction
    assert shares == (0.5, 0.5, 0.5)
    assert chip.dram.interleaved_write_fraction == preset.dram.interleaved_write_fraction
    assert chip.source_of("dram.interleaved_read_fraction") == f"set in {path}"
    assert chip.source_of("dram.channel_read_fraction") == "a guess"


def test_a_wrong_source_of_a_rate_is_named_with_its_line() -> None:
    text = "name: a\nchips:\n- base: wormhole\n  sources:\n    dram.channel_read_bytes_per_second: [1, 2]\n"
    text += "  dram:\n    channel_read_bytes_per_second: 12e9\n"
    with pytest.raises(SystemDescError) as caught:
        loads(text, origin="my.yaml")
    assert any(note.startswith("my.yaml:5: chips[0].sources") for note in caught.value.diagnostic.notes)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            "interleaved_read_bytes_per_second: 300 GB/s",
            "dram.interleaved_read_fraction: input should be less than or equal to 1, got 1.0416666666666667",
        ),
        (
            "interleaved_read_bytes_per_second: fast",
            "dram.interleaved_read_fraction: 'fast' is not a quantity; expected bytes per second, a number or one",
        ),
        (
            "{interleaved_read_bytes_per_second: 1 GB/s, interleaved_read_fraction: 0.5}",
            "dram.interleaved_read_bytes_per_second: unknown field; did you mean 'interleaved_read_fraction'?",
        ),
        ("interleaved_read_fraction: 1/0", "dram.interleaved_read_fraction: '1/0' is not a quotient of two numbers"),
    ],
)
def test_what_is_no_share(text: str, note: str) -> None:
    with pytest.raises(SystemDescError) as caught:
        loads(f"name: a\nchips:\n- base: wormhole\n  dram:\n    {text}\n", origin="my.yaml")
    (found,) = caught.value.diagnostic.notes
    assert found.startswith(f"my.yaml:5: chips[0].{note}")


def test_an_older_description_has_its_workers_side_by_side() -> None:
    given = {"tensix_grid": [2, 3], "dram": {"num_channels": 2}, "noc": {}, "clock": {"throttle_onset_ns": 1}}
    (chip,) = upgrade({"chips": [given]})["chips"]
    assert (chip["noc"]["worker_rows"], chip["noc"]["worker_columns"]) == ([0, 1], [0, 1, 2])
    assert chip["dram"]["routers"] == [[0, 0], [0, 0]]


def test_a_source_stays_on_its_line() -> None:
    source = " ".join(["measured"] * 15)
    assert f"source: {source}\n" in to_yaml({"source": source})
