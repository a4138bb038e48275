"""Attention with linear biases, computed with each score."""

from ttstack.mlir import ir
from ttstack.ops.linear_bias import LinearBiasAttention
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.attention import attend
from ttstack.passes.ttir_to_linalg.movement import number_of
from ttstack.passes.ttir_to_linalg.scalars import Scalar, cast
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, generate, literal

LOWERINGS = LoweringTable()


@LOWERINGS("linear_bias_attention")
def _linear_bias(
    op: LinearBiasAttention,
    query: Dense,
    key: Dense,
    value: Dense,
    _mask: None,
    sink: Dense | None,
    *_columns: Dense,
) -> Dense:
    slopes, dtype = literal(op.head_slopes, DType.F32), query.wide().dtype

    def body(at: list[ir.Value]) -> Scalar:
        away = number_of(at[3]) - number_of(at[2])
        return cast(slopes.at([at[1]]), dtype) * cast(away, dtype)

    bias = generate(body, (1, query.shape[1], query.shape[2], key.shape[2]), dtype)
    shown = {"causal": op.is_causal, "window": op.sliding_window_size}
    return attend(query, key, value, scale=op.scale, **shown, mask=bias, sink=sink).cast(op.results[0].dtype)
