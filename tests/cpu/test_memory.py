"""Buffers of a processor's code: which share memory, and what is written to them in vain."""

import numpy as np
import pytest

from tests.cpu.native import run_native
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.passes.cpu.separate_fills import SeparateFills
from ttstack.passes.cpu.share_buffers import ShareBuffers
from ttstack.passes.cpu.tile_products import TileProducts
from ttstack.passes.cpu.use_blas import UseBlas
from ttstack.passes.ttir_to_linalg.reshaped import collapse_and_expand

CHAIN = """func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<2x2xf32>
  %v = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  memref.copy %v, %b : memref<2x2xf32> to memref<2x2xf32>
  %c = memref.alloc() : memref<8xi16>
  USE
  memref.copy %b, %b : memref<2x2xf32> to memref<2x2xf32>
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<2x2xf32>
  memref.dealloc %c : memref<8xi16>
  return
}"""


@pytest.mark.parametrize(
    ("use", "allocations"),
    [
        ("memref.copy %c, %c : memref<8xi16> to memref<8xi16>", 2),
        (
            "memref.copy %c, %c : memref<8xi16> to memref<8xi16>\n memref.copy %a, %a : memref<4xf32> to memref<4xf32>",
            3,
        ),
        (
            "%p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index\n memref.copy %c, %c : memref<8xi16> to memref<8xi16>",
            3,
        ),
    ],
)
def test_buffers_that_are_not_in_use_together_share_memory(use: str, allocations: int):
    """`c` begins when `a`, and what is a view of it, is over, unless it is used later or somebody has its address."""
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(CHAIN.replace("USE", use))
        ShareBuffers().run(module)
        assert module.operation.verify()
        text = str(module)
    assert text.count("memref.alloc") == text.count("memref.dealloc") == allocations
    assert text.count("memref.view") == (2 if allocations == 2 else 0)


def test_a_fill_is_repeated_for_each_use():
    text = """func.func @f(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %1 = tensor.insert_slice %x into %0[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      %2 = tensor.insert_slice %x into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
      return %1, %2 : tensor<8xf32>, tensor<8xf32>
    }"""
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        SeparateFills().run(module)
        assert str(module).count("linalg.fill") == 2


PRODUCT = """func.func @f(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32>) {
  %number = arith.constant NUMBER : f32
  linalg.fill ins(%number : f32) outs(%c : memref<8x8xf32>)
  BETWEEN
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return
}"""


@pytest.mark.parametrize("way", [UseBlas(), TileProducts()], ids=["blas", "tiles"])
@pytest.mark.parametrize(
    ("number", "between", "fills"),
    [
        ("0.0", "", 0),
        ("0.0", "%d = memref.alloc() : memref<8xf32>", 0),
        ("1.0", "", 1),
        ("-0.0", "", 1),
        ("0.0", "memref.copy %c, %a : memref<8x8xf32> to memref<8x8xf32>", 1),
        ("0.0", "linalg.fill ins(%number : f32) outs(%a : memref<8x8xf32>)", 2),
    ],
)
def test_a_product_does_not_read_zeros_that_it_is_added_to(
    way: UseBlas | TileProducts, number: str, between: str, fills: int
):
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(PRODUCT.replace("NUMBER", number).replace("BETWEEN", between))
        way.run(module)
        assert module.operation.verify()
        assert str(module).count("linalg.fill") == fills


@pytest.mark.parametrize(
    ("before", "after", "ops"),
    [
        ((1, 64, 56, 56), (64, 3136), ["collapse_shape"]),
        ((64, 12), (1, 64, 3, 4), ["expand_shape"]),
        ((6, 4), (4, 6), ["collapse_shape", "expand_shape"]),
        ((2, 6, 5), (2, 3, 10), ["collapse_shape", "expand_shape"]),
        ((), (1, 1), ["expand_shape"]),
        ((1, 1), (), ["collapse_shape"]),
        ((0, 3), (3, 0), ["collapse_shape", "expand_shape"]),
    ],
)
def test_reshapes_are_no_more_views_than_they_must(before: tuple[int, ...], after: tuple[int, ...], ops: list[str]):
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func private @f(tensor<{'x'.join([*map(str, before), 'f32'])}>)")
        (function,) = module.body.operations
        block = function.regions[0].blocks.append(ir.RankedTensorType.get(list(before), ir.F32Type.get()))
        with ir.InsertionPoint(block):
            made = collapse_and_expand(block.arguments[0], after)
        assert tuple(ir.RankedTensorType(made.type).shape) == after
        assert [op.operation.name.removeprefix("tensor.") for op in block.operations] == ops


def test_values_survive_that_memory_is_shared():
    lines = [
        '%a = "ttir.matmul"(%x, %x) : (TENSOR, TENSOR) -> TENSOR',
        *(f'%{new} = "ttir.matmul"(%{old}, %x) : (TENSOR, TENSOR) -> TENSOR' for old, new in ("ab", "bc", "cd", "de")),
        '%f = "ttir.add"(%e, %b) : (TENSOR, TENSOR) -> TENSOR',
    ]
    body = "\n".join(lines)
    text = f"func.func @f(%x: TENSOR) -> TENSOR {{\n{body}\nreturn %f : TENSOR\n}}".replace("TENSOR", "tensor<8x8xf64>")
    x = np.random.default_rng(3).random((8, 8))
    with new_context(), ir.Location.unknown():
        code, (out,) = run_native(parse(text), [x])
    assert code == 0
    np.testing.assert_allclose(out, np.linalg.matrix_power(x, 6) + np.linalg.matrix_power(x, 3), rtol=1e-12)
