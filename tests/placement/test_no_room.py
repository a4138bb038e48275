"""Where a memory is too small, the error says what lies there and the change that makes it fit."""

import re

import pytest

import ttstack
from ttstack.diagnostics import CapacityError, OverrideError, TTStackError
from ttstack.system_desc import loads

LESS_L1 = "name: less\nchips:\n  - {base: wormhole, l1: {size_bytes: 900 KiB}}\n"

SOFTMAX = """
func.func @f(%x: tensor<32x4096xf32>) -> tensor<32x4096xf32> {
  %0 = "ttir.softmax"(%x) {dimension = 1 : si32, numericStable = true} : (tensor<32x4096xf32>) -> tensor<32x4096xf32>
  return %0 : tensor<32x4096xf32>
}
"""


def elementwise(shape: str) -> str:
    """Two functions of a tensor, and their sum."""
    return f"""
func.func @f(%x: tensor<{shape}>) -> tensor<{shape}> {{
  %0 = "ttir.exp"(%x) : (tensor<{shape}>) -> tensor<{shape}>
  %1 = "ttir.tanh"(%x) : (tensor<{shape}>) -> tensor<{shape}>
  %2 = "ttir.add"(%0, %1) : (tensor<{shape}>, tensor<{shape}>) -> tensor<{shape}>
  return %2 : tensor<{shape}>
}}
"""


def needed(error: TTStackError) -> tuple[str, int]:
    """The format that is advised, and the bytes that it is said to need."""
    found = re.fullmatch(r"use `--dtype (\w+)`, with which ([\d,]+) bytes are needed", error.diagnostic.hint or "")
    assert found
    return found[1], int(found[2].replace(",", ""))


def test_the_format_in_which_an_op_fits_is_said_and_does():
    device = loads(LESS_L1)
    with pytest.raises(CapacityError, match=r"'softmax' needs at least 1,046,528 bytes of L1") as error:
        ttstack.compile(SOFTMAX, system_desc=device)
    dtype, nbytes = needed(error.value)
    program = ttstack.compile(SOFTMAX, system_desc=device, dtype=dtype)
    (op,) = (op for op in program.function().operations if op.name == "softmax")
    assert (dtype, op.circular_buffer_bytes) == ("bf16", nbytes)


def test_what_overrides_keep_in_l1_is_named():
    kept = [{"name": name, "location": "*", "memory": "l1"} for name in ("exp", "tanh", "add")]
    with pytest.raises(OverrideError, match=r"'add' needs .* with what the overrides keep there") as error:
        ttstack.compile(elementwise("4096x4096xbf16"), overrides={"ops": kept}, without="all")
    kept_there = [
        f"result of '{name}' (<text>:{line}), tensor<4096x4096xbf16>: 524,288 bytes"
        for name, line in (("tanh", 4), ("exp", 3), ("add", 5))
    ]
    assert list(error.value.diagnostic.notes) == kept_there


def test_what_lies_in_dram_is_named_and_the_advised_format_fits():
    text = elementwise("49152x24576xf32")
    with pytest.raises(CapacityError, match="DRAM is full") as error:
        ttstack.compile(text)
    assert error.value.diagnostic.notes[0] == (
        "result of 'exp' (<text>:3), tensor<49152x24576xf32>: 4,831,838,208 bytes"
    )
    dtype, _ = needed(error.value)
    ttstack.compile(text, dtype=dtype)


def test_the_advised_format_of_arguments_fits():
    shape = "65536x65536xf32"
    text = f"func.func @f(%x: tensor<{shape}>) -> tensor<{shape}> {{\n  return %x : tensor<{shape}>\n}}"
    with pytest.raises(CapacityError, match="the arguments of 'f' need 17,") as error:
        ttstack.compile(text)
    dtype, nbytes = needed(error.value)
    assert 0 <= nbytes - 65536**2 * 2 < 2**20
    ttstack.compile(text, dtype=dtype)
