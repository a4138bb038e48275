"""Loops of StableHLO: which stay loops, and that their values are right."""

from pathlib import Path

import numpy as np
import pytest

import ttstack
from tests.loops.modules import BACKWARD, FORWARD, NESTED, STEADY, scan
from ttstack.compiled_program import Program
from ttstack.diagnostics import ExecutionError, PassOptionError
from ttstack.frontends.stablehlo import loop_parts

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(32, 64)).astype("f4"), (RNG.normal(size=(64, 64)) / 8).astype("f4")


def steady(x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, int]:
    change, count = 1.0, 0
    while change > 1e-3:
        new = np.tanh(x @ w) * np.float32(0.5)
        change, x, count = float(np.abs(new - x).max()), new, count + 1
    return x, count


def names(program: Program) -> list[str]:
    return [op.name for op in program.cost().ops]


def test_a_loop_runs_until_its_condition_is_false():
    program = ttstack.compile(STEADY)
    value, count = program.run(X, W).outputs.values()
    wanted, times = steady(X, W)
    np.testing.assert_allclose(value, wanted, atol=1e-6)
    assert count == times == 13
    assert names(program) == ["while"]


def test_a_loop_that_never_runs_gives_its_values():
    program = ttstack.compile(STEADY.replace("dense<1.0> : tensor<f32>", "dense<0.0> : tensor<f32>"))
    value, count = program.run(X, W).outputs.values()
    np.testing.assert_array_equal(value, X)
    assert count == 0


@pytest.mark.parametrize("index", [FORWARD, BACKWARD])
def test_a_scan_takes_slices_and_stacks_rows(index: str):
    count = 500
    x, h = RNG.normal(size=(count, 4, 8)).astype("f4"), RNG.normal(size=(4, 8)).astype("f4")
    w = (RNG.normal(size=(8, 8)) / 3).astype("f4")
    program = ttstack.compile(scan(count, index))
    last, rows = program.run(x, h, w).outputs.values()
    wanted = np.empty_like(x)
    for i in range(count) if index is FORWARD else reversed(range(count)):
        wanted[i] = h = np.tanh(h @ w + x[i])
    np.testing.assert_allclose(rows, wanted, atol=1e-5)
    np.testing.assert_allclose(last, h, atol=1e-5)
    (loop,) = (op for op in program.binary.functions[0].operations if op.name == "while")
    assert loop.attributes["carried"] == loop.attributes["scanned"] == loop.attributes["stacked"] == 1
    assert names(program) == ["while"]


def test_only_the_time_grows_with_the_number_of_iterations(tmp_path):
    programs = [ttstack.compile(scan(count)) for count in (1000, 4000)]
    short, long = (program.cost().total_ns for program in programs)
    assert 3.9 < long / short < 4.1
    sizes = [len(program.binary.functions[0].loops[0].operations) for program in programs]
    assert sizes[0] == sizes[1]
    for number, program in enumerate(programs):
        program.save(tmp_path / f"{number}.ttb")
    small, large = ((tmp_path / f"{number}.ttb").stat().st_size for number in (0, 1))
    assert abs(small - large) < 100


EXPORTS = Path(__file__).parents[1] / "frontends/jax_exports"


@pytest.mark.parametrize("name", ["until", "scan"])
def test_loops_that_jax_wrote(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loop_parts, "UNROLLED_OPS", 0)
    program = ttstack.compile(EXPORTS / f"{name}.mlir")
    with np.load(EXPORTS / f"{name}.npz") as file:
        given = [file[key] for key in sorted(file) if key.startswith("input")]
        wanted = [file[key] for key in sorted(file) if key.startswith("output")]
    found = list(program.run(*given).outputs.values())
    for value, reference in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value, reference, rtol=1e-5, atol=1e-6)
    loops = [op for op in program.binary.functions[0].operations if op.name == "while"]
    assert any(loop.attributes.get("scanned") for loop in loops) == (name == "scan")
    assert not any(op.name in ("scatter", "slice_dynamic") for op in program.binary.functions[0].loops[-1].operations)


def test_a_short_loop_is_unrolled():
    assert "while" not in names(ttstack.compile(scan(5)))


def test_loops_in_loops():
    x = RNG.normal(size=(4, 8)).astype("f4")
    program = ttstack.compile(NESTED)
    (value,) = program.run(x, np.int32(4)).outputs.values()
    wanted = x
    for i in range(4):
        for _ in range(i):
            wanted = np.sin(wanted)
        wanted = wanted + x
    np.testing.assert_allclose(value, wanted, atol=1e-6)
    assert [len(f.loops) for f in program.binary.functions[0].with_loops] == [2, 0, 2, 0, 0]


def test_a_bound_is_counted_and_kept(tmp_path):
    one, bounded = ttstack.compile(STEADY), ttstack.compile(STEADY, max_iterations=20)
    assert 10 < bounded.cost().total_ns / one.cost().total_ns < 20
    bounded.save(tmp_path / "steady.ttb")
    np.testing.assert_array_equal(list(ttstack.load(tmp_path / "steady.ttb").run(X, W).outputs.values())[1], 13)
    with pytest.raises(ExecutionError, match="ran 5 times, and its condition still holds"):
        ttstack.compile(STEADY, max_iterations=5).run(X, W)
    with pytest.raises(PassOptionError, match="max_iterations"):
        ttstack.compile(STEADY, max_iterations=0)


def test_the_report_says_what_it_counts():
    assert "one iteration counted" in str(ttstack.compile(STEADY).cost())
    assert "one iteration counted" not in str(ttstack.compile(STEADY, max_iterations=20).cost())
    assert "one iteration counted" not in str(ttstack.compile(scan(1000)).cost())


def test_functions_of_loops_are_found_by_name():
    program = ttstack.compile(STEADY)
    body = program.cost("main.while_0.body")
    assert [op.name for op in body.ops][:1] == ["matmul"]
    assert len(program.binary.functions) == 1


def test_values_lie_below_those_of_the_function_with_the_loop():
    main = ttstack.compile(STEADY).binary.functions[0]
    body = main.loop("main.while_0.body")
    outside = min(t.address for t in main.tensors if not t.layout.in_l1)
    assert max(t.address for t in body.tensors if not t.layout.in_l1) < outside


def test_values_are_checked_after_each_pass():
    from ttstack.passes.instrumented import Instruments

    ttstack.compile(STEADY, instruments=Instruments(check_values="exact"))
