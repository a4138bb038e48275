"""Loops that do not fit their functions: one clear error each, in text and in files."""

from dataclasses import replace

import pytest

import ttstack
from tests.loops.modules import STEADY
from ttstack.diagnostics import BinaryFormatError, TTStackError
from ttstack.program.records import Binary, Function
from ttstack.program.validate import validate_binary

TEXT = """
func.func @forward(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %r = "ttir.while"(%x) {ATTRIBUTES} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
func.func @step(%a: tensor<ROWSx32xf32>) -> tensor<ROWSx32xf32> attributes {tt.in_loop} {
  %b = "ttir.exp"(%a) : (tensor<ROWSx32xf32>) -> tensor<ROWSx32xf32>
  return %b : tensor<ROWSx32xf32>
}
func.func @round(%a: tensor<32x32xf32>) -> tensor<32x32xf32> attributes {tt.in_loop} {
  %b = "ttir.while"(%a) {body = "step", carried = 1 : i32, trip_count = 2} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %b : tensor<32x32xf32>
}
"""
COUNTED = "carried = 1 : i32, trip_count = 3"


@pytest.mark.parametrize(
    ("attributes", "rows", "says"),
    [
        (f'body = "other", {COUNTED}', 32, "runs the function 'other', which there is not"),
        (f'body = "step", {COUNTED}', 64, r"runs the function 'step', which takes tensor<64x32xf32>"),
        ('body = "step", carried = 1 : i32', 32, "it has one of both"),
        (f'body = "step", condition = "step", {COUNTED}', 32, "it has one of both"),
        ('body = "step", condition = "step", carried = 1 : i32', 32, "not one truth value"),
        ('body = "step", carried = 2 : i32, trip_count = 3', 32, "2 carried and 0 scanned values of 1 inputs"),
        ('body = "step", carried = 0 : i32, scanned = 1 : i32, stacked = 1 : i32, trip_count = 3', 32, "3 iterations"),
    ],
)
def test_text_with_loops_that_do_not_fit(attributes: str, rows: int, says: str):
    with pytest.raises(TTStackError, match=says):
        ttstack.compile(TEXT.replace("ATTRIBUTES", attributes).replace("ROWS", str(rows)))


def test_a_loop_that_runs_itself():
    text = TEXT.replace("ATTRIBUTES", f'body = "round", {COUNTED}').replace("ROWS", "32")
    with pytest.raises(TTStackError, match="runs the function 'round', which runs it"):
        ttstack.compile(text.replace('body = "step", carried', 'body = "round", carried'))


def test_functions_that_no_loop_runs_are_left_out():
    attributes = f'body = "step", {COUNTED}'
    text = TEXT.replace("ATTRIBUTES", attributes).replace("ROWS", "32")
    (op,) = ttstack.compile(text).cost().ops
    assert (op.name, op.times) == ("while", 3)


def altered(binary: Binary, **changes: object) -> Binary:
    (main,) = binary.functions
    return replace(binary, functions=(replace(main, **changes),))


def test_files_with_loops_that_do_not_fit():
    binary = ttstack.compile(STEADY).binary
    condition, body = binary.functions[0].loops
    validate_binary(binary)
    for loops, says in (
        ((), "runs the function 'main.while_0.condition', which there is not"),
        ((condition, replace(body, outputs=body.outputs[:2])), "which gives"),
        ((condition, _without_input(body)), "which takes"),
        ((condition, body, body), "two functions of its loops have one name"),
    ):
        with pytest.raises(BinaryFormatError, match=says):
            validate_binary(altered(binary, loops=loops))


def _without_input(function: Function) -> Function:
    return replace(function, inputs=function.inputs[1:], operations=(), outputs=function.outputs[:0])


def test_a_trace_cannot_wait_for_a_condition(tmp_path):
    from ttstack.ttnn_python import emit_python

    program = ttstack.compile(STEADY)
    (main,) = program.binary.functions
    with pytest.raises(TTStackError, match="1 loops end when the host reads a value"):
        emit_python(program.binary, main, "steady", trace=True)
    text = emit_python(program.binary, main, "steady")
    compile(text, "steady.py", "exec")
    assert "while truth(main_while_0_condition(" in text
