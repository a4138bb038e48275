"""The least time is never above the predicted one, however little of a tensor an op takes."""

import pytest

import ttstack

IDS, TABLE, ROWS = "tensor<1x128xi32>", "tensor<30522x768xf32>", "tensor<1x128x768xf32>"
PART = "tensor<128x768xf32>"


@pytest.mark.parametrize(
    ("arguments", "line", "result"),
    [
        (f"%i: {IDS}, %t: {TABLE}", f'"ttir.embedding"(%i, %t) : ({IDS}, {TABLE}) -> {ROWS}', ROWS),
        (
            f"%t: {TABLE}",
            f'"ttir.slice_static"(%t) {{begins = [0 : i32, 0 : i32], ends = [128 : i32, 768 : i32], step = [1 : i32, 1 : i32]}} : ({TABLE}) -> {PART}',
            PART,
        ),
    ],
)
def test_of_a_large_table_only_what_is_taken_counts(arguments: str, line: str, result: str) -> None:
    text = f"func.func @f({arguments}) -> {result} {{\n  %0 = {line}\n  return %0 : {result}\n}}"
    *_, op = ttstack.compile(text).cost().ops
    assert 0 < op.roofline_ns <= op.kernel_ns
