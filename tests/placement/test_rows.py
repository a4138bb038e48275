"""Patches below a token: rows that a reshape makes, and that are joined as rows."""

import numpy as np
import pytest

import ttstack
from ttstack.device.device_op import DeviceOp
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.placement.rows import cuts_rows, joins_rows
from ttstack_runtime.memory_check import check_memory

PATCHES, ROWS, TOKEN, ALL = (f"tensor<{s}x768xbf16>" for s in ("1x1x1568", "8x196", "8x1", "8x197"))
TEXT = f"""
func.func @f(%x: {PATCHES}, %t: {TOKEN}) -> {ALL} {{
  %0 = "ttir.exp"(%x) : ({PATCHES}) -> {PATCHES}
  %1 = "ttir.reshape"(%0) {{shape = [8 : i32, 196 : i32, 768 : i32]}} : ({PATCHES}) -> {ROWS}
  %2 = "ttir.concat"(%t, %1) {{dim = 1 : si32}} : ({TOKEN}, {ROWS}) -> {ALL}
  %3 = "ttir.exp"(%2) : ({ALL}) -> {ALL}
  return %3 : {ALL}
}}"""


def placed(program: ttstack.Program, name: str) -> DeviceOp:
    function = program.function()
    return function.device_op(next(op for op in function.operations if op.name == name))


def test_what_is_joined_within_tiles_stays_in_rows_from_the_reshape_on():
    program = ttstack.compile(TEXT, precision="throughput")
    made, joined = placed(program, "reshape"), placed(program, "concat")
    assert made.operands[0].tiled
    assert not made.results[0].tiled
    assert joined.operands[1] == made.results[0]
    assert joined.results[0].tiled
    check_memory(program.function(), program.binary.system_desc.chips[0])


def test_values_are_those_of_tiles():
    rows, tiles = ttstack.compile(TEXT), ttstack.compile(TEXT, placement="dram")
    inputs = {n: np.random.default_rng(0).standard_normal(t.shape, np.float32) for n, t in rows.inputs().items()}
    (got,), (want,) = (p.run(inputs).outputs.values() for p in (rows, tiles))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("given", "made", "cuts"),
    [
        ((1568, 768), (8, 196, 768), True),
        ((1536, 768), (8, 192, 768), False),
        ((1568, 768), (1568, 12, 64), False),
        ((768,), (1, 768), False),
    ],
)
def test_a_reshape_gives_rows_where_it_cuts_tiles_and_keeps_rows(
    given: tuple[int, ...], made: tuple[int, ...], cuts: bool
):
    assert cuts_rows(OPS["reshape"].on([TensorType(given, DType.BF16)], {"shape": made})) == cuts


@pytest.mark.parametrize(("rows", "dim", "joins"), [(196, 1, True), (192, 1, False), (196, 2, False)])
def test_rows_are_joined_where_matrices_end_within_tiles(rows: int, dim: int, joins: bool):
    assert joins_rows(OPS["concat"].on([TensorType((8, rows, 64), DType.BF16)] * 2, {"dim": dim})) == joins
