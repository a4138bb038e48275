"""Rotary embeddings."""

from ttstack.ops.rotary import RotaryEmbedding
from ttstack.passes.ttir_to_linalg.scalars import Scalar
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, empty

LOWERINGS = LoweringTable()


@LOWERINGS("rotary_embedding")
def _rotary(op: RotaryEmbedding, x: Dense, cos: Dense, sin: Dense, _trans_mat: Dense | None = None) -> Dense:
    half = x.shape[-1] // 2
    begin, step = (1, 2) if op.interleaved else (half, 1)

    def part(t: Dense, at: int) -> Dense:
        begins, steps = [0] * (t.rank - 1), [1] * (t.rank - 1)
        return t.slice([*begins, at], [*t.shape[:-1], half], [*steps, step])

    def lower(a: Scalar, b: Scalar, c: Scalar, s: Scalar) -> Scalar:
        return a * c - b * s

    def upper(a: Scalar, b: Scalar, c: Scalar, s: Scalar) -> Scalar:
        return b * c + a * s

    out = Dense(empty(x.shape, x.dtype), x.shape, x.dtype)
    for body, at in ((lower, 0), (upper, begin)):
        pairs = [part(x, 0), part(x, begin), part(cos, at), part(sin, at)]
        made = elementwise(body, pairs, x.dtype)
        out = out.put(made, [0] * (x.rank - 1) + [at], [1] * (x.rank - 1) + [step])
    return out
