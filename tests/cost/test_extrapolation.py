"""No error is stated of times that depend on figures of a device that was not measured."""

from functools import cache
from pathlib import Path

import pytest

import ttstack
from ttstack.compiled_program import Program
from ttstack.cost.confidence import Trust
from ttstack.cost.extrapolation import SAME
from ttstack.report.json import to_dict
from ttstack.report.report import Report
from ttstack.system_desc import SystemDesc, dump, load, loads, presets
from ttstack.system_desc.what_if import what_if

EXAMPLE = Path(ttstack.__file__).parent / "examples" / "encoder_layer.mlir"
INVENTED = {
    "64x64 cores": "cores=64x64",
    "3 GHz, 4 times the FLOPs": "clock=3GHz,matrix.matmul_cycles_per_tile.lofi=4,matrix.matmul_cycles_per_tile.hifi2=8,"
    "matrix.matmul_cycles_per_tile.hifi3=12,matrix.matmul_cycles_per_tile.hifi4=16",
    "8 times the NoC": "noc.link_bytes_per_cycle=256",
    "2 TB/s of DRAM": "dram_peak=2TB/s",
}
FASTER = "name: fast\nchips:\n  - base: wormhole\n    clock: {nominal_hz: 3 GHz}\n"
LESS_L1 = "name: small\nchips:\n  - base: wormhole\n    l1: {size_bytes: 256 KiB}\n"
ADD = """func.func @forward(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = "ttir.add"(%a, %b) : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}
"""


@cache
def program() -> Program:
    return ttstack.compile(EXAMPLE)


@cache
def added(device: str | None = None) -> Report:
    return ttstack.compile(ADD, system_desc=loads(device) if device else "wormhole").cost()


@pytest.mark.parametrize("change", INVENTED.values(), ids=INVENTED)
def test_ops_keep_their_error_if_and_only_if_their_time_stays(change: str) -> None:
    before, after = program().cost(), program().what_if(change).after
    assert any(op.confidence.error is None for op in after.ops)
    for was, op in zip(before.ops, after.ops, strict=True):
        if abs(op.elapsed_ns / was.elapsed_ns - 1) < SAME:
            assert op.confidence.error is not None
            assert op.confidence == was.confidence
        else:
            assert (op.confidence.error, op.confidence.interval, op.likely_ns) == (None, None, None)
            assert "was measured" in op.confidence.beyond[0]
            assert op.confidence.trust is Trust.EXTRAPOLATED
            assert op.confidence.boards is None


def test_the_total_says_how_much_of_it_is_unknown_and_why() -> None:
    found = program().what_if("clock=3GHz")
    after = found.after
    assert after.expected_error is after.likely_ns is None
    assert 0.9 < after.unknown_ns / after.total_ns < 1
    assert dict(after.unmeasured_figures) == {"clock.nominal_hz is 3 GHz, 1 GHz was measured": after.unknown_ns}
    assert "error unknown for 9" in found.notes[-1]
    values = to_dict(after)
    assert (values["expected_error"], values["unknown_ns"]) == (None, after.unknown_ns)
    assert "unknown_ns" not in to_dict(found.before)


def test_a_larger_dram_or_l1_leaves_all_errors_as_they_are() -> None:
    before = program().cost()
    for change in ("dram.channel_size_bytes=4GiB,dram.unreserved_end=4GiB", "l1_size=2MiB"):
        after = program().what_if(change).after
        assert [op.confidence for op in after.ops] == [op.confidence for op in before.ops]
        assert after.expected_error == before.expected_error


def test_the_figures_that_matter_are_named() -> None:
    after = (
        program().what_if("dram_peak=2TB/s,matrix.matmul_cycles_per_tile.hifi2=1,noc.link_bytes_per_cycle=256").after
    )
    (add,) = (op for op in after.ops if op.index == 1)
    assert [reason.split()[0] for reason in add.confidence.beyond] == ["noc.link_bytes_per_cycle"]
    (linear,) = (op for op in after.ops if op.index == 0)
    assert {reason.split()[0] for reason in linear.confidence.beyond} >= {"dram.peak_bytes_per_second"}


def test_what_runs_on_more_cores_than_were_measured_has_no_error() -> None:
    grown = what_if(load("wormhole"), ["cores=12x12"]).system
    (op,) = ttstack.compile(ADD, system_desc=grown).cost().ops
    assert op.grid.cores > 64
    assert (op.confidence.error, op.confidence.beyond) == (None, ("grid is 12x12, 8x8 was measured",))


def test_a_file_with_a_base_is_compared_with_the_measured_chip() -> None:
    assert added().expected_error is not None
    for size in ("256 KiB", "1 MiB"):
        assert added(LESS_L1.replace("256 KiB", size)).expected_error == added().expected_error
    assert added(FASTER).expected_error is None
    cited = FASTER + "    sources: {clock.nominal_hz: my simulator}\n"
    assert loads(cited).chips[0].measured_figures == {"clock.nominal_hz": 1e9}


def test_a_program_file_and_a_full_copy_still_say_it(tmp_path: Path) -> None:
    fast = loads(FASTER)
    assert loads(dump(fast)) == fast
    edited = dump(load("wormhole")).replace("nominal_hz: 1000000000.0", "nominal_hz: 3000000000.0")
    assert loads(edited).chips[0].measured_figures == {"clock.nominal_hz": 1e9}
    ttstack.compile(ADD, system_desc=fast).save(tmp_path / "add.ttb")
    assert ttstack.load(tmp_path / "add.ttb").cost().expected_error is None


def test_figures_that_were_fitted_to_other_measurements_are_measured() -> None:
    fitted = FASTER + "    sources: {clock.nominal_hz: FIT to my profile}\n"
    assert loads(fitted).chips[0].measured_figures == {}
    assert what_if(load("wormhole"), ["rows.pass_cycles=300"], fit="a.csv").system.chips[0].measured_figures == {}


def test_a_what_if_that_changes_back_is_measured() -> None:
    changed = what_if(loads(FASTER), ["clock=1GHz"]).system
    assert changed.chips[0].measured_figures == {}
    twice = what_if(what_if(load("wormhole"), ["clock=2GHz"]).system, ["clock=3GHz"]).system
    assert twice.chips[0].measured_figures == {"clock.nominal_hz": 1e9}


@pytest.mark.parametrize("name", presets())
def test_presets_are_measured(name: str) -> None:
    def changed(desc: SystemDesc) -> list[dict[str, object]]:
        return [dict(chip.measured_figures) for chip in desc.chips]

    desc = load(name)
    assert changed(desc) == changed(loads(dump(desc))) == [{}] * desc.num_chips
