"""What is read from a compiled function: its numbers, its memory, whether its records can be."""

import pytest

import ttstack
from ttstack.diagnostics import InputError
from ttstack.program.find_op import find_op
from ttstack.program.l1_use import span_bytes
from ttstack.program.launched import launched_positions
from ttstack.program.signature import signature_fault
from ttstack.system_desc import load

SUMS = """func.func @f(%x: tensor<64x64xbf16>, %y: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.softmax"(%y) <{dimension = 1 : si32}> : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = "ttir.exp"(%1) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %3 = "ttir.matmul"(%0, %2) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}
"""
POOL = """func.func @f(%x: tensor<1x8x8x32xbf16>) -> tensor<1x4x4x32xbf16> {
  %0 = "ttir.max_pool2d"(%x) <{kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, dilation = array<i32: 1, 1>,
    padding = array<i32: 0, 0, 0, 0>, ceil_mode = false}> : (tensor<1x8x8x32xbf16>) -> tensor<1x4x4x32xbf16>
  return %0 : tensor<1x4x4x32xbf16>
}
"""


def test_an_op_is_found_by_number_or_by_what_it_alone_is():
    function = ttstack.compile(SUMS).function()
    (at,) = (n for n, i in enumerate(launched_positions(function)) if function.operations[i].name == "softmax")
    assert find_op(function, "softmax") == find_op(function, str(at)) == at
    with pytest.raises(InputError, match="2 ops are 'exp'"):
        find_op(function, "exp")
    with pytest.raises(InputError, match="no op is 'tanh'"):
        find_op(function, "tanh")


def test_l1_is_spanned_by_what_lies_there_and_not_by_what_lies_in_dram():
    function, chip = ttstack.compile(SUMS, placement="dram").function(), load("wormhole").chips[0]
    assert span_bytes(function, chip) == max(op.circular_buffer_bytes for op in function.operations)


def test_what_the_compiler_records_fits_the_definitions():
    for text in (SUMS, POOL):
        function = ttstack.compile(text).function()
        made = [op for op in function.operations if op.results]
        assert [signature_fault(function, op) for op in made] == [None] * len(made)
