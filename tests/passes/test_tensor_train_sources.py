"""Embedding tables are found in every form that frontends give them, and their lookups keep their values."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper
from torch.nn import functional

import ttstack

ROWS, WIDTH = 2000, 16
SETTINGS = "rel_error=0.01,min_rows=100,max_slowdown=100"
TABLE = np.sin(0.01 * np.arange(ROWS)[:, None] + np.arange(WIDTH)).astype(np.float32)
IDS = np.array([[0, 7, 1999], [7, 1234, 5]])
FLAT, OFFSETS, WEIGHTS = IDS.reshape(-1), np.array([0, 2, 2]), np.linspace(-1, 1, 6, dtype=np.float32)


class Table(torch.nn.Module):
    """A function of a table and of tensors."""

    def __init__(self, function: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.from_numpy(TABLE))
        self.function = function

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        return self.function(self.table, *given)


TORCH: dict[str, tuple[Callable[..., torch.Tensor], tuple[np.ndarray, ...]]] = {
    "embedding": (lambda t, i: functional.embedding(i, t), (IDS,)),
    "index": (lambda t, i: t[i], (IDS,)),
    "index_select": (lambda t, i: t.index_select(0, i), (FLAT,)),
    "gather of whole rows": (lambda t, i: t.gather(0, i[:, None].expand(-1, WIDTH)), (FLAT,)),
    "one-hot product": (lambda t, i: functional.one_hot(i, ROWS).float() @ t, (IDS,)),
    "bags in rows": (lambda t, i: functional.embedding_bag(i, t), (IDS,)),
    "sums": (lambda t, i, o: functional.embedding_bag(i, t, o, mode="sum"), (FLAT, OFFSETS)),
    "largest": (lambda t, i, o: functional.embedding_bag(i, t, o, mode="max"), (FLAT, OFFSETS)),
    "padded": (lambda t, i, o: functional.embedding_bag(i, t, o, mode="mean", padding_idx=7), (FLAT, OFFSETS)),
    "last offset": (
        lambda t, i, o: functional.embedding_bag(i, t, o, mode="sum", include_last_offset=True),
        (FLAT, np.array([0, 2, 6])),
    ),
    "weighted": (
        lambda t, i, o, w: functional.embedding_bag(i, t, o, mode="sum", per_sample_weights=w),
        (FLAT, OFFSETS, WEIGHTS),
    ),
}


def check(program: ttstack.Program, inputs: tuple[np.ndarray, ...], expected: np.ndarray) -> None:
    (found,) = program.binary.tables
    assert found.replaced, found.reason
    assert not [n for n, w in program.binary.weights.items() if w.type.shape[-2:] == (ROWS, WIDTH)]
    (got,) = program.run(dict(zip(program.inputs(), inputs, strict=True))).outputs.values()
    assert np.linalg.norm(got - expected) <= 0.03 * np.linalg.norm(expected)


@pytest.mark.parametrize("spelling", TORCH)
def test_tables_of_pytorch(spelling: str):
    function, inputs = TORCH[spelling]
    model, given = Table(function).eval(), tuple(torch.from_numpy(i) for i in inputs)
    check(ttstack.compile(model, given, tensor_train=SETTINGS), inputs, model(*given).detach().numpy())


def onnx_model(path: Path, *nodes: onnx.NodeProto) -> Path:
    values = {"table": TABLE, "rows": np.array(ROWS), "ends": np.array([0, 1], np.float32)}
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes,
        "lookup",
        [helper.make_tensor_value_info("i", onnx.TensorProto.INT64, FLAT.shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (*FLAT.shape, WIDTH))],
        [numpy_helper.from_array(values[name], name) for name in values if name in used],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


ONNX = {
    "Gather": (helper.make_node("Gather", ["table", "i"], ["y"]),),
    "OneHot": (
        helper.make_node("OneHot", ["i", "rows", "ends"], ["hot"]),
        helper.make_node("MatMul", ["hot", "table"], ["y"]),
    ),
}


@pytest.mark.parametrize("spelling", ONNX)
def test_tables_of_onnx(spelling: str, tmp_path: Path):
    program = ttstack.compile(onnx_model(tmp_path / "m.onnx", *ONNX[spelling]), tensor_train=SETTINGS)
    check(program, (FLAT,), TABLE[FLAT])


HEX = f'dense<"0x{TABLE.tobytes().hex()}">'
TEXT = {
    "stablehlo": f"""func.func @f(%i: tensor<6xi32>) -> tensor<6x{WIDTH}xf32> {{
      %t = stablehlo.constant {HEX} : tensor<{ROWS}x{WIDTH}xf32>
      %0 = "stablehlo.gather"(%t, %i) {{
        dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                                              index_vector_dim = 1>,
        slice_sizes = array<i64: 1, {WIDTH}>
      }} : (tensor<{ROWS}x{WIDTH}xf32>, tensor<6xi32>) -> tensor<6x{WIDTH}xf32>
      return %0 : tensor<6x{WIDTH}xf32>
    }}""",
    "tosa": f"""func.func @f(%i: tensor<1x6xi32>) -> tensor<1x6x{WIDTH}xf32> {{
      %t = "tosa.const"() {{values = {HEX} : tensor<1x{ROWS}x{WIDTH}xf32>}} : () -> tensor<1x{ROWS}x{WIDTH}xf32>
      %0 = tosa.gather %t, %i : (tensor<1x{ROWS}x{WIDTH}xf32>, tensor<1x6xi32>) -> tensor<1x6x{WIDTH}xf32>
      return %0 : tensor<1x6x{WIDTH}xf32>
    }}""",
}


@pytest.mark.parametrize("dialect", TEXT)
def test_tables_of_other_dialects(dialect: str, tmp_path: Path):
    (tmp_path / "m.mlir").write_text(TEXT[dialect])
    program = ttstack.compile(tmp_path / "m.mlir", tensor_train=SETTINGS)
    (shape,) = (t.shape for t in program.inputs().values())
    ids = FLAT.astype(np.int32).reshape(shape)
    check(program, (ids,), TABLE[ids])
