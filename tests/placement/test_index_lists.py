"""Lists of indices stay rows on the way to a lookup, joined and added up as they are."""

import numpy as np
import pytest

import ttstack
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops.types import DType
from ttstack_runtime.memory_check import check_memory

LIST, VECTOR, BOTH, LONG = (f"tensor<{shape}xi64>" for shape in ("1x64", "64", "2x64", "1x128"))
TABLE = "tensor<1000x64xbf16>"
FIRST_ROWS = "".join(f"[{', '.join([str(row)] * 64)}]{end}" for row, end in ((0, ", "), (300, "")))

JOINED = f"""
  %a = "ttir.concat"(%0, %1) {{dim = 0 : si32}} : ({LIST}, {LIST}) -> {BOTH}
  %c = "ttir.constant"() {{value = dense<[{FIRST_ROWS}]> : {BOTH}}} : () -> {BOTH}
  %i = "ttir.add"(%a, %c) : ({BOTH}, {BOTH}) -> {BOTH}"""
VIEWED = f"""
  %a = "ttir.reshape"(%0) {{shape = [1 : i32, 64 : i32]}} : ({VECTOR}) -> {LIST}
  %b = "ttir.reshape"(%1) {{shape = [1 : i32, 64 : i32]}} : ({VECTOR}) -> {LIST}
  %i = "ttir.concat"(%a, %b) {{dim = 0 : si32}} : ({LIST}, {LIST}) -> {BOTH}"""
BESIDE = f'\n  %i = "ttir.concat"(%0, %1) {{dim = 1 : si32}} : ({LIST}, {LIST}) -> {LONG}'
MADE = f"""
  %a = "ttir.abs"(%0) : ({LIST}) -> {LIST}
  %i = "ttir.concat"(%a, %1) {{dim = 0 : si32}} : ({LIST}, {LIST}) -> {BOTH}"""


def looked_up(body: str, given: str, indices: str) -> str:
    """A function that looks up what the body makes of two lists."""
    rows = indices.replace("xi64", "x64xbf16")
    return f"""
func.func @f(%0: {given}, %1: {given}, %table: {TABLE}) -> {rows} {{{body}
  %rows = "ttir.embedding"(%i, %table) : ({indices}, {TABLE}) -> {rows}
  return %rows : {rows}
}}"""


def lists_of(program: ttstack.Program) -> set[Layout]:
    """Where indices lie."""
    function = program.function()
    check_memory(function, program.binary.system_desc.chips[0])
    ops = [function.device_op(op) for op in function.operations]
    return {layout for op in ops for layout in op.layouts() if not layout.dtype.is_float}


def rows_of(program: ttstack.Program, *lists: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The rows that a program finds, and its table."""
    table = np.random.default_rng(0).standard_normal((1000, 64), np.float32)
    first, second, last = program.inputs().items()
    given = {n: np.resize(numbers, t.shape) for (n, t), numbers in zip((first, second), lists, strict=True)}
    (found,) = program.run(given | {last[0]: table}).outputs.values()
    return found.reshape(-1, 64), table


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        (looked_up(JOINED, LIST, BOTH), ["concat", "add", "embedding"], [5, 7, 302, 304]),
        (looked_up(VIEWED, VECTOR, BOTH), ["concat", "embedding"], [5, 7, 2, 4]),
    ],
    ids=["joined and added", "views of vectors"],
)
def test_lists_are_rows_without_a_sign_from_the_start(text: str, names: list[str], wanted: list[int]):
    program = ttstack.compile(text, without="all")
    assert [op.name for op in program.cost().ops if op.elapsed_ns] == names
    rows = Layout(DType.UI32, tiled=False)
    assert lists_of(program) <= {rows, rows.interleave(MemorySpace.L1)}
    found, table = rows_of(program, [5, 7], [2, 4])
    picked = np.concatenate([np.resize(wanted[:2], 64), np.resize(wanted[2:], 64)])
    assert np.abs(found - table[picked]).max() <= np.abs(table).max() / 2**8


@pytest.mark.parametrize(
    "text",
    [looked_up(BESIDE, LIST, LONG), looked_up(MADE, LIST, BOTH)],
    ids=["side by side", "one of them computed in tiles"],
)
def test_what_kernels_do_not_keep_in_rows_is_tiles_up_to_the_lookup(text: str):
    program = ttstack.compile(text, without="all")
    assert any(layout.tiled for layout in lists_of(program))
    found, table = rows_of(program, [5, 7], [2, 4])
    assert np.abs(found - table[np.repeat([[5, 7], [2, 4]], 32, 0).ravel()]).max() <= np.abs(table).max() / 2**8
