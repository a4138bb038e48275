"""Where the source says that tensors lie: read, and forgotten."""

import numpy as np
import pytest

import ttstack
from tests.ops.text import assert_refused, module

T = "tensor<32x64xf32>"


def names(text: str) -> list[str]:
    return [op.name for op in ttstack.compile(text).function().operations]


def test_explicit_allocations_are_dropped():
    text = f"""func.func @f(%x: {T}) -> {T} {{
      %0 = "ttir.alloc"() <{{address = 1024 : i64, size = 8192 : i64, memory_space = #ttcore.memory_space<l1>}}> : () -> {T}
      %1 = "ttir.add"(%x, %x) : ({T}, {T}) -> {T}
      "ttir.dealloc"(%0) : ({T}) -> ()
      return %1 : {T}
    }}"""
    assert names(text) == ["add"]


@pytest.mark.parametrize(
    "cast",
    [
        f"ttir.ttnn_metal_layout_cast %x : {T} -> {T}",
        f"ttir.ttnn_metal_layout_cast %x {{virtual_grid_forward_mapping = affine_map<(d0) -> (d0)>}} : {T} -> {T}",
        f'"ttir.ttnn_metal_layout_cast"(%x) : ({T}) -> {T}',
    ],
)
def test_casts_between_layouts_are_the_tensor(cast: str):
    text = f"""func.func @f(%x: {T}) -> {T} {{
      %0 = {cast}
      %1 = "ttir.exp"(%0) : ({T}) -> {T}
      return %1 : {T}
    }}"""
    assert names(text) == ["exp"]
    x = np.zeros((32, 64), np.float32)
    assert (ttstack.compile(text).run({"arg0": x}).outputs["output"] == 1).all()


REFUSED = [
    (
        *("alloc", "address = -1 : i64, size = 8 : i64, memory_space = #ttcore.memory_space<l1>", []),
        *("4xf32", "address -1 is negative"),
    ),
    (
        *("alloc", "address = 0 : i64, size = -8 : i64, memory_space = #ttcore.memory_space<dram>", []),
        *("4xf32", "size is -8, not positive"),
    ),
    ("ttnn_metal_layout_cast", "", ["4xf32"], "5xf32", "result is tensor<5xf32>, inferred tensor<4xf32>"),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "result", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], result: str, says: str):
    assert_refused(module(mnemonic, properties, operands, [result]), says)
