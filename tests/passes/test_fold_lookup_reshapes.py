"""Lookups read indices in rows, as they come, and write rows of the table as they are read."""

import numpy as np
import pytest
import torch

import ttstack

N, D = 4096, 64
MODULES = {
    "indices and rows of extent 1": f"""
      %0 = "ttir.embedding"(%ids, %table) : (tensor<{N}x1xi32>, tensor<9x{D}xbf16>) -> tensor<{N}x1x{D}xbf16>
      %1 = "ttir.reshape"(%0) <{{shape = [{N} : i32, {D} : i32]}}> : (tensor<{N}x1x{D}xbf16>) -> tensor<{N}x{D}xbf16>""",
    "indices of another shape": f"""
      %0 = "ttir.reshape"(%ids) <{{shape = [{N} : i32]}}> : (tensor<{N}x1xi32>) -> tensor<{N}xi32>
      %1 = "ttir.embedding"(%0, %table) : (tensor<{N}xi32>, tensor<9x{D}xbf16>) -> tensor<{N}x{D}xbf16>""",
    "indices of another integer type": f"""
      %c = "ttir.typecast"(%ids) : (tensor<{N}x1xi32>) -> tensor<{N}x1xui32>
      %0 = "ttir.embedding"(%c, %table) : (tensor<{N}x1xui32>, tensor<9x{D}xbf16>) -> tensor<{N}x1x{D}xbf16>
      %1 = "ttir.squeeze"(%0) <{{dim = 1 : si32}}> : (tensor<{N}x1x{D}xbf16>) -> tensor<{N}x{D}xbf16>""",
}


@pytest.mark.parametrize("body", MODULES.values(), ids=MODULES)
def test_a_dimension_of_extent_1_pads_nothing(body: str):
    text = f"func.func @f(%ids: tensor<{N}x1xi32>, %table: tensor<9x{D}xbf16>) -> tensor<{N}x{D}xbf16> {{{body}"
    program = ttstack.compile(text + f"\n      return %1 : tensor<{N}x{D}xbf16>\n}}")
    (function,) = program.binary.functions
    assert [op.name for op in function.operations] == ["embedding"]
    assert not function.arguments["arg0"].layout.tiled
    (output,) = (function.tensors[o.tensor] for o in function.outputs)
    assert output.layout.nbytes(output.type) == output.type.nbytes
    ids, table = np.arange(N).reshape(N, 1) % 9, np.arange(9 * D).reshape(9, D) % 7
    given = {"arg0": ids.astype(np.int32), "arg1": table.astype(output.type.dtype.numpy)}
    (got,) = program.run(given).outputs.values()
    np.testing.assert_array_equal(got.astype(int), table[ids[:, 0]])


def test_rows_that_several_read_are_looked_up_once():
    text = """func.func @f(%ids: tensor<32x1xi32>, %w: tensor<9x8xf32>) -> (tensor<32x8xf32>, tensor<32x1x8xf32>) {
      %0 = "ttir.embedding"(%ids, %w) : (tensor<32x1xi32>, tensor<9x8xf32>) -> tensor<32x1x8xf32>
      %1 = "ttir.reshape"(%0) <{shape = [32 : i32, 8 : i32]}> : (tensor<32x1x8xf32>) -> tensor<32x8xf32>
      return %1, %0 : tensor<32x8xf32>, tensor<32x1x8xf32>
    }"""
    (function,) = ttstack.compile(text).binary.functions
    assert [op.name for op in function.operations].count("embedding") == 1


@pytest.mark.parametrize(("given", "cast"), [("i32", "i1"), ("i32", "ui8"), ("i16", "ui16")])
def test_a_cast_that_changes_indices_is_computed(given: str, cast: str):
    text = f"""func.func @f(%ids: tensor<4x{given}>, %w: tensor<64x32xf32>) -> tensor<4x32xf32> {{
      %0 = "ttir.typecast"(%ids) : (tensor<4x{given}>) -> tensor<4x{cast}>
      %1 = "ttir.embedding"(%0, %w) : (tensor<4x{cast}>, tensor<64x32xf32>) -> tensor<4x32xf32>
      return %1 : tensor<4x32xf32>
    }}"""
    program = ttstack.compile(text)
    (function,) = program.binary.functions
    assert "typecast" in [op.name for op in function.operations]
    if cast == "i1":
        ids, table = np.array([5, 1, 0, 33], np.int32), np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
        (got,) = program.run({"arg0": ids, "arg1": table}, numerics="ieee").outputs.values()
        np.testing.assert_array_equal(got, table[[1, 1, 0, 1]])


def test_constant_indices_are_stored_in_the_rows_that_are_read():
    class Picked(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.embedding(torch.arange(0, 512, 2).flip(0).reshape(256), x).reshape(16, 16, 64)

    x = torch.randn(512, 64)
    program = ttstack.compile(Picked(), (x,), dtype="bf16")
    (values,) = program.run({"x": x.numpy()}).outputs.values()
    np.testing.assert_array_equal(values, Picked()(x).numpy())
    lookups = [op for op in program.cost().ops if op.name == "embedding"]
    assert [op.calls for op in lookups] == [()] * len(lookups)
