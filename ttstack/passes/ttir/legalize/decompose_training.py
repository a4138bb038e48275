"""Decomposition of training ops: attention with statistics, its gradients, an optimizer's step."""

from collections.abc import Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import broadcast_to, cast, elementwise, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.training import Adamw, SdpaBw, SdpaFw, TrainingAttention, of_a_batch
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.pattern import Pattern
from ttstack.passes.ttir.legalize.legalize_attention import hidden_keys

_TRANSPOSED = (0, 1, 3, 2)


def _forward(op: ir.Operation) -> list[ir.Value]:
    """Use the attention of inference, and compute log-sum-exps of the scores if needed."""
    attention, (query, key, value, *mask) = definition_of(op), op.operands
    assert isinstance(attention, SdpaFw)
    heads = [_batch(v) for v in (query, key, value)]
    out = ttir.scaled_dot_product_attention(*heads, *mask, is_causal=attention.forward().is_causal)
    results = [reshape_to(out, attention.results[0].shape)]
    if len(attention.results) > 1:
        line = log_sum_exps(heads[0], heads[1], _added(attention, *mask))
        results.append(spread_statistics(line, attention.results[1]))
    return results


def log_sum_exps(query: ir.Value, key: ir.Value, mask: ir.Value | None) -> ir.Value:
    """Return the log-sum-exp of each query's scores, with an optional mask: [B, H, S, 1]."""
    scores = _scores(_batch(query), _batch(key), mask)
    top = ttir.max(scores, keep_dim=True, dim_arg=(3,))
    sums = ttir.sum(ttir.exp(ttir.subtract(scores, top)), keep_dim=True, dim_arg=(3,))
    return ttir.add(top, ttir.log(sums))


def spread_statistics(line: ir.Value, t: TensorType) -> ir.Value:
    """Repeat a number per query in all columns of a tile."""
    return broadcast_to(reshape_to(cast(line, t.dtype), (*t.shape[:-1], 1)), t.shape)


def _backward(op: ir.Operation) -> list[ir.Value]:
    """Recompute weights from the log-sum-exps, then apply the chain rule; gradients of grouped heads are added."""
    attention, (*operands, statistics) = definition_of(op), list(op.operands)[:6]
    assert isinstance(attention, SdpaBw)
    gradient, out, query, key, value = map(_batch, operands)
    statistics = _batch(statistics)
    queries = read_type(query.type)
    group, depth = queries.shape[1] // max(read_type(key.type).shape[1], 1), queries.shape[3]
    column = slice_along(statistics, 3, 0, 1)
    scores = _scores(query, key, _added(attention, *list(op.operands)[6:]))
    weights = ttir.exp(ttir.subtract(scores, cast(column, queries.dtype)))
    weight_gradient = ttir.matmul(gradient, _shared(value, group), transpose_b=True)
    along = ttir.sum(ttir.multiply(gradient, out), keep_dim=True, dim_arg=(3,))
    moved = ttir.multiply(weights, ttir.subtract(weight_gradient, along))
    moved = elementwise("multiply", moved, depth**-0.5, result=read_type(moved.type))
    gradients = (
        ttir.matmul(moved, _shared(key, group)),
        _summed(ttir.matmul(permute_dims(moved, _TRANSPOSED), query), group),
        _summed(ttir.matmul(permute_dims(weights, _TRANSPOSED), gradient), group),
    )
    return [reshape_to(new, t.shape) for new, t in zip(gradients, attention.results, strict=True)]


def _scores(query: ir.Value, key: ir.Value, mask: ir.Value | None) -> ir.Value:
    """Return scaled scores of queries and keys [B, H, S, Sk], with an optional mask."""
    t = read_type(query.type)
    group = t.shape[1] // max(read_type(key.type).shape[1], 1)
    scaled = elementwise("multiply", query, t.shape[3] ** -0.5, result=t)
    scores = ttir.matmul(scaled, _shared(key, group), transpose_b=True)
    return scores if mask is None else ttir.add(scores, cast(mask, t.dtype))


def _added(attention: TrainingAttention, mask: ir.Value | None = None) -> ir.Value | None:
    """Return the given mask, or the causal one."""
    forward = attention.forward()
    shape = forward.query.shape[2], forward.key.shape[2]
    return hidden_keys(*shape, forward.query.dtype) if forward.is_causal else mask


def _batch(value: ir.Value) -> ir.Value:
    return reshape_to(value, of_a_batch(read_type(value.type)).shape)


def _shared(heads: ir.Value, group: int) -> ir.Value:
    """Repeat each key head for all queries of its group."""
    return heads if group == 1 else ttir.repeat_interleave(heads, repeats=group, dim=1)


def _summed(heads: ir.Value, group: int) -> ir.Value:
    """Add up gradients of a group of heads."""
    batch, count, *rest = read_type(heads.type).shape
    if group == 1:
        return heads
    return ttir.sum(reshape_to(heads, (batch, count // group, group, *rest)), keep_dim=False, dim_arg=(2,))


def _adamw(op: ir.Operation) -> list[ir.Value]:
    """Apply decay, and a step along the first moment over the root of the second; return both moments, too."""
    adamw, (param, grad, first, second, *largest) = definition_of(op), op.operands
    assert isinstance(adamw, Adamw)

    def f(name: str, *operands: ir.Value | float) -> ir.Value:
        return elementwise(name, *operands, result=read_type(first.type))

    moved = f("add", f("multiply", first, adamw.beta1), f("multiply", grad, 1 - adamw.beta1))
    squares = f("multiply", f("multiply", grad, grad), 1 - adamw.beta2)
    spread = f("add", f("multiply", second, adamw.beta2), squares)
    most = f("maximum", largest[0], spread) if largest else spread
    root = f("add", f("sqrt", f("multiply", most, 1 / (1 - adamw.beta2_pow))), adamw.epsilon)
    step = f("multiply", f("div", moved, root), adamw.lr / (1 - adamw.beta1_pow))
    stepped = f("subtract", f("multiply", param, 1 - adamw.lr * adamw.weight_decay), step)
    results = (stepped, moved, spread, most)
    return [cast(new, t.dtype) for new, t in zip(results, adamw.results, strict=False)]


def _of_one_format(rewrite: Pattern) -> Pattern:
    """Cast mixed formats to the widest before decomposition, as each decomposed step would round."""

    def matched(op: ir.Operation) -> Sequence[ir.Value] | None:
        return rewrite(op) if has_one_format(definition_of(op)) else None

    return matched


def has_one_format(op: Op) -> bool:
    """Return True if all floating-point operands and results have one type."""
    return len({t.dtype for t in (*op.operands, *op.results) if t.dtype.is_float}) == 1


TRAINING: Sequence[tuple[str, Pattern]] = (
    ("ttir.sdpa_fw", _of_one_format(_forward)),
    ("ttir.sdpa_bw", _of_one_format(_backward)),
    ("ttir.adamw", _of_one_format(_adamw)),
)
