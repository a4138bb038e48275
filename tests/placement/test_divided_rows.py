"""Norms of long rows: divided over cores that exchange their parts of the sums."""

import numpy as np
import pytest

import ttstack
from ttstack.cost import Term, predict
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid
from ttstack.program.records import Operation
from ttstack_runtime.memory_check import check_memory


def text(norm: str, rows: int = 32, width: int = 4096) -> str:
    x, w = f"tensor<{rows}x{width}xbf16>", f"tensor<{width}xbf16>"
    sizes = "operandSegmentSizes = array<i32: 1, 1, 0>"
    attributes = f"normalized_shape = array<i64: {width}>, epsilon = 1.0e-5 : f32, {sizes}"
    return f"""
    func.func @f(%x: {x}, %w: {w}) -> {x} {{
      %0 = "ttir.exp"(%x) : ({x}) -> {x}
      %1 = "ttir.{norm}"(%0, %w) {{{attributes}}} : ({x}, {w}) -> {x}
      %2 = "ttir.add"(%0, %1) : ({x}, {x}) -> {x}
      return %2 : {x}
    }}"""


def norm_of(program: ttstack.Program, norm: str) -> Operation:
    return next(op for op in program.function().operations if op.name == norm)


def forced(norm: str, layout: str, grid: list[int], rows: int = 32) -> ttstack.Program:
    asked = {"location": "*", "name": norm, "layout": layout, "grid": grid}
    return ttstack.compile(text(norm, rows), overrides={"ops": [asked]})


@pytest.mark.parametrize("placement", ["greedy", "optimal"])
@pytest.mark.parametrize("norm", ["rms_norm", "layer_norm"])
def test_few_long_rows_are_divided(norm: str, placement: str):
    program = ttstack.compile(text(norm), placement=placement)
    function, chip = program.function(), program.binary.system_desc.chips[0]
    placed = function.device_op(norm_of(program, norm))
    assert placed.row_cores >= 8
    check_memory(function, chip)
    cost, whole = predict(placed, chip), ttstack.compile(text(norm), placement="dram").cost()
    assert 0 < cost.terms[Term.EXCHANGE] < cost.total_ns
    assert cost.total_ns < 0.5 * next(op.kernel_ns for op in whole.ops if op.name == norm)


@pytest.mark.parametrize(("layout", "grid"), [("width_sharded", [2, 8]), ("block_sharded", [2, 8])])
@pytest.mark.parametrize("norm", ["rms_norm", "layer_norm"])
def test_values_are_those_of_whole_rows(norm: str, layout: str, grid: list[int]):
    program = forced(norm, layout, grid, rows=64)
    assert norm_of(program, norm).grid == Grid(*grid)
    inputs = {
        name: np.random.default_rng(0).standard_normal(t.shape, np.float32) for name, t in program.inputs().items()
    }
    (got,), (want,) = (
        p.run(inputs).outputs.values() for p in (program, ttstack.compile(text(norm, 64), placement="dram"))
    )
    np.testing.assert_array_equal(got, want)


def test_sums_are_exchanged_once_for_rms_norms_and_twice_for_layer_norms():
    def exchange(norm: str, layout: str, grid: list[int], rows: int = 32) -> float:
        program = forced(norm, layout, grid, rows)
        return predict(program.function().device_op(norm_of(program, norm)), program.binary.system_desc.chips[0]).terms[
            Term.EXCHANGE
        ]

    once = exchange("rms_norm", "width_sharded", [1, 8])
    assert exchange("layer_norm", "width_sharded", [1, 8]) == pytest.approx(2 * once)
    assert once < exchange("rms_norm", "width_sharded", [2, 8]) < exchange("rms_norm", "width_sharded", [8, 8])
    assert exchange("rms_norm", "block_sharded", [1, 8]) == pytest.approx(once), "the same cores"
    assert exchange("rms_norm", "width_sharded", [1, 8], rows=256) > once


def test_the_parts_of_sums_are_in_circular_buffers():
    program = forced("rms_norm", "width_sharded", [2, 8])
    chip, norm = program.binary.system_desc.chips[0], norm_of(program, "rms_norm")
    placed = program.function().device_op(norm)
    exchanged, own, shards, weight, scalars = 8 + 2 - 1, 3, 2 * 8, 8, 4
    tiles = exchanged + own + shards + weight + scalars
    assert norm.circular_buffer_bytes == footprint(placed, chip) == 2048 * tiles, "as ttnn 0.81.1 allocates them"
