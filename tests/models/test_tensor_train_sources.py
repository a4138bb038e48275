"""A dense table that compresses is found in models of every source, and lookups keep their values."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812  (its usual name)

import ttstack
from ttstack_runtime.executor import Numerics

ROWS, WIDTH = 2000, 16
TABLE = torch.sin(0.01 * torch.arange(ROWS)[:, None] + torch.arange(WIDTH)[None])
IDS = torch.randint(0, ROWS, (8, 4), generator=torch.Generator().manual_seed(0))
SETTINGS = {"rel_error": 0.01, "min_rows": 100, "max_slowdown": 10}

Form = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class Model(torch.nn.Module):
    def __init__(self, form: Form) -> None:
        super().__init__()
        self.table, self.form = torch.nn.Parameter(TABLE.clone()), form

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.form(self.table, ids)


FORMS: dict[str, Form] = {
    "embedding": lambda t, i: F.embedding(i, t),
    "mean of bags, padded": lambda t, i: F.embedding_bag(i, t, mode="mean", padding_idx=3),
    "one-hot product": lambda t, i: F.one_hot(i, ROWS).to(t.dtype) @ t,
    "index": lambda t, i: t[i],
    "index_select": lambda t, i: torch.index_select(t, 0, i.reshape(-1)),
    "gather": lambda t, i: torch.gather(t, 0, i.reshape(-1, 1).expand(-1, WIDTH)),
}


def assert_compressed(program: ttstack.Program, expected: np.ndarray, ids: np.ndarray) -> None:
    (table,) = program.cost().tables
    assert table.replaced, table.reason
    assert table.bytes_after is not None
    assert table.bytes_after < table.bytes_before / 8
    (found,) = program.run(dict.fromkeys(program.inputs(), ids)).outputs.values()
    np.testing.assert_allclose(found, expected, atol=0.03)


@pytest.mark.parametrize("form", FORMS)
def test_from_pytorch(form: str):
    model = Model(FORMS[form]).eval()
    assert_compressed(ttstack.compile(model, (IDS,), tensor_train=SETTINGS), model(IDS).detach().numpy(), IDS.numpy())


def test_from_stablehlo():
    values = TABLE.numpy()
    text = f"""func.func @main(%i: tensor<8x4x1xi32>) -> tensor<8x4x{WIDTH}xf32> {{
      %w = "stablehlo.constant"() <{{value = dense<"0x{values.tobytes().hex().upper()}"> : tensor<{ROWS}x{WIDTH}xf32>}}>
          : () -> tensor<{ROWS}x{WIDTH}xf32>
      %0 = "stablehlo.gather"(%w, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [2],
          collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false,
          slice_sizes = array<i64: 1, {WIDTH}>}}>
          : (tensor<{ROWS}x{WIDTH}xf32>, tensor<8x4x1xi32>) -> tensor<8x4x{WIDTH}xf32>
      return %0 : tensor<8x4x{WIDTH}xf32>
    }}"""
    ids = IDS.numpy().astype(np.int32)
    assert_compressed(ttstack.compile(text, tensor_train=SETTINGS), values[ids], ids[..., None])


def test_from_onnx(tmp_path: Path):
    onnx = pytest.importorskip("onnx")
    helper, values = onnx.helper, TABLE.numpy()
    graph = helper.make_graph(
        [helper.make_node("Gather", ["w", "i"], ["y"], axis=0)],
        "lookup",
        [helper.make_tensor_value_info("i", onnx.TensorProto.INT64, list(IDS.shape))],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [*IDS.shape, WIDTH])],
        [onnx.numpy_helper.from_array(values, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "lookup.onnx")
    program = ttstack.compile(tmp_path / "lookup.onnx", tensor_train=SETTINGS)
    assert_compressed(program, values[IDS.numpy()], IDS.numpy())


@pytest.mark.parametrize("numerics", ["ieee", "device"])
def test_the_device_rounds_cores_as_it_rounds_a_table(numerics: Numerics):
    model = Model(FORMS["embedding"]).eval()
    program = ttstack.compile(model, (IDS,), dtype="bf16", tensor_train=SETTINGS)
    (found,) = program.run({"ids": IDS.numpy()}, numerics=numerics).outputs.values()
    assert np.linalg.norm(found - TABLE[IDS].numpy()) <= 0.02 * np.linalg.norm(TABLE[IDS].numpy())
    assert (program.cost().tables[0].ns_after or 0) > 0
