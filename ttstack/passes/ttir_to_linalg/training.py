"""Training ops: an optimizer's step, and attention with its gradients."""

import operator

from ttstack.ops.training import Adamw, SdpaBw, SdpaFw, TrainingAttention, of_a_batch
from ttstack.ops.types import TensorType, storage_of
from ttstack.passes.ttir_to_linalg import formulas
from ttstack.passes.ttir_to_linalg.attention import attend, scores_of
from ttstack.passes.ttir_to_linalg.folds import reduce
from ttstack.passes.ttir_to_linalg.matmul import product
from ttstack.passes.ttir_to_linalg.reduction import total
from ttstack.passes.ttir_to_linalg.scalars import Scalar, cast, library, maximum
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, elementwise_all

LOWERINGS = LoweringTable()


@LOWERINGS("adamw")
def _adamw(op: Adamw, *operands: Dense | None) -> tuple[Dense, ...]:
    given = [x for x in operands if x is not None]

    def body(param: Scalar, grad: Scalar, mean: Scalar, square: Scalar, *most: Scalar) -> list[Scalar]:
        first = operator.add(*_alike(mean * op.beta1, grad * (1 - op.beta1)))
        second = operator.add(*_alike(square * op.beta2, grad * (1 - op.beta2) * grad))
        largest = [maximum(*_alike(m, second)) for m in most]
        root = library("sqrt", (largest or [second])[0] / (1 - op.beta2_pow)) + op.epsilon
        step = operator.truediv(*_alike(first * (op.lr / (1 - op.beta1_pow)), root))
        stepped = operator.sub(*_alike(param * (1 - op.lr * op.weight_decay), step))
        return [stepped, first, second, *largest]

    return tuple(elementwise_all(body, given, [storage_of(t.dtype) for t in op.results]))


def _alike(x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
    """Cast both to the wider type."""
    wide = max(x.dtype, y.dtype, key=lambda d: d.bits)
    return cast(x, wide), cast(y, wide)


@LOWERINGS("sdpa_fw")
def _forward(op: SdpaFw, query: Dense, key: Dense, value: Dense, mask: Dense | None) -> tuple[Dense, ...]:
    q, k, v = map(_batch, (query, key, value))
    causal = op.forward().is_causal
    out = attend(q, k, v, scale=None, causal=causal, mask=mask)
    results = [out.reshape(*op.results[0].shape).cast(op.results[0].dtype)]
    for t in op.results[1:]:
        scores = scores_of(q, k, scale=None, causal=causal, mask=mask)
        top = reduce(maximum, scores, [4], -float("inf"), scores.dtype, keep=True)
        sums = total(elementwise(lambda e, m: formulas.exp(e - m), [scores, top], scores.dtype), [4], keep=True)
        line = elementwise(lambda m, s: m + library("log", s.like(s)), [top, sums.cast(top.dtype)], top.dtype)
        results.append(line.reshape(*t.shape[:-1], 1).cast(t.dtype).broadcast(t.shape))
    return tuple(results)


@LOWERINGS("sdpa_bw")
def _backward(op: SdpaBw, *operands: Dense | None) -> tuple[Dense, ...]:
    *given, mask = operands
    gradient, out, query, key, value, statistics = (_batch(x).wide() for x in given if x is not None)
    batch, kv_heads, columns, depth = key.shape
    rows = query.shape[1] // kv_heads * query.shape[2]

    def grouped(x: Dense) -> Dense:
        return x.reshape(batch, kv_heads, rows, -1)

    scores = grouped(_scores(op, query, key, mask).reshape(batch, kv_heads, rows, columns))
    column = grouped(statistics.slice([0] * 4, [*statistics.shape[:3], 1]))
    weights = elementwise(lambda e, s: formulas.exp(e - s), [scores, column], scores.dtype)
    gradient, out, query = map(grouped, (gradient, out, query))
    given_weights = product(gradient, value, transpose_b=True)
    along = total(elementwise(lambda g, o: g * o, [gradient, out], gradient.dtype), [3], keep=True)

    def chain(w: Scalar, g: Scalar, a: Scalar) -> Scalar:
        return w * (g - g.like(a)) * depth**-0.5

    moved = elementwise(chain, [weights, given_weights, along], weights.dtype)
    made = (
        product(moved, key),
        product(moved, query, transpose_a=True),
        product(weights, gradient, transpose_a=True),
    )
    return tuple(x.reshape(*t.shape).cast(t.dtype) for x, t in zip(made, op.results, strict=True))


def _scores(op: TrainingAttention, query: Dense, key: Dense, mask: Dense | None) -> Dense:
    return scores_of(query, key, scale=None, causal=op.forward().is_causal, mask=mask)


def _batch(x: Dense) -> Dense:
    return x.reshape(*of_a_batch(TensorType(x.shape, x.dtype)).shape)
