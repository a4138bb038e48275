"""Attention as two matmuls with a softmax in between, and head reshapes."""

from ttstack.mlir import arith, ir, linalg
from ttstack.ops.attention import (
    ConcatenateHeadsDecode,
    ScaledDotProductAttention,
    SplitHeads,
    SplitQueryKeyValueAndSplitHeads,
    SplitQueryKeyValueDecode,
)
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg import formulas
from ttstack.passes.ttir_to_linalg.folds import reduce
from ttstack.passes.ttir_to_linalg.matmul import product
from ttstack.passes.ttir_to_linalg.movement import number_of
from ttstack.passes.ttir_to_linalg.reduction import total
from ttstack.passes.ttir_to_linalg.scalars import Scalar, compare, maximum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise

LOWERINGS = LoweringTable()


@LOWERINGS("scaled_dot_product_attention")
def _attention(
    op: ScaledDotProductAttention,
    query: Dense,
    key: Dense,
    value: Dense,
    mask: Dense | None = None,
    sink: Dense | None = None,
) -> Dense:
    return attend(
        query, key, value, scale=op.scale, causal=op.is_causal, window=op.sliding_window_size, mask=mask, sink=sink
    ).cast(op.results[0].dtype)


def attend(
    query: Dense,
    key: Dense,
    value: Dense,
    *,
    scale: float | None,
    causal: bool,
    window: int | None = None,
    positions: Dense | None = None,
    mask: Dense | None = None,
    sink: Dense | None = None,
) -> Dense:
    """`softmax(query @ key^T * scale + mask) @ value` of [B, Hq, S, D] on [B, Hkv, Sk, D], as the runtime's `attend`.

    `positions` [B, S] are those of the queries, by default in order. A query without visible keys gives 0.
    """
    batch, heads, rows, _ = query.shape
    kv_heads, columns = key.shape[1:3]
    group = heads // kv_heads
    scores = scores_of(query, key, scale=scale, causal=causal, window=window, positions=positions, mask=mask)
    top = reduce(maximum, scores, [4], -float("inf"), scores.dtype, keep=True)
    spread = None if sink is None else _first_column(sink, heads).reshape(1, kv_heads, group, 1, 1)
    if spread is not None:
        top = elementwise(maximum, [top, spread], scores.dtype)
    top = elementwise(lambda t: select(compare("eq", t, -float("inf")), t.like(0), t), [top], scores.dtype)
    powers = elementwise(lambda e, t: formulas.exp(e - t), [scores, top], scores.dtype)
    sums = total(powers, [4], keep=True).cast(scores.dtype)
    if spread is not None:
        sums = elementwise(lambda s, k, t: s + formulas.exp(s.like(k) - t), [sums, spread, top], scores.dtype)
    weighted = product(powers.reshape(batch, kv_heads, group * rows, columns), value.wide())
    weighted = weighted.reshape(batch, kv_heads, group, rows, value.shape[3])

    def divided(e: Scalar, s: Scalar) -> Scalar:
        return e / select(compare("eq", s, 0), s.like(1), s)

    return elementwise(divided, [weighted, sums], scores.dtype).reshape(batch, heads, rows, value.shape[3])


def scores_of(
    query: Dense,
    key: Dense,
    *,
    scale: float | None,
    causal: bool,
    window: int | None = None,
    positions: Dense | None = None,
    mask: Dense | None = None,
) -> Dense:
    """Return `query @ key^T * scale + mask` as [B, Hkv, group, S, Sk], minus infinity for hidden keys."""
    batch, heads, rows, depth = query.shape
    kv_heads, columns = key.shape[1:3]
    group = heads // kv_heads
    q = query.wide().reshape(batch, kv_heads, group * rows, depth)
    scores = product(q, key.wide(), False, True).reshape(batch, kv_heads, group, rows, columns)
    scores = _masked(scores, depth**-0.5 if scale is None else scale, mask)
    return _hide(scores, causal, window, positions) if causal or window else scores


def _first_column(sink: Dense, heads: int) -> Dense:
    by_head = sink.reshape(heads, -1)
    return by_head.slice([0, 0], [heads, 1])


def _masked(scores: Dense, factor: float, mask: Dense | None) -> Dense:
    """Return scaled scores with an additive mask, or without the scores that a bool mask hides."""
    if mask is None:
        return elementwise(lambda e: e * factor, [scores], scores.dtype)
    full = mask.reshape(*(1,) * (4 - mask.rank), *mask.shape)
    heads = full.shape[1]
    split = (1, 1) if heads == 1 else scores.shape[1:3]
    spread = full.reshape(full.shape[0], *split, *full.shape[2:])
    hidden = -float("inf")
    if mask.dtype is DType.I1:
        return elementwise(lambda e, m: select(m, e * factor, hidden), [scores, spread], scores.dtype)
    return elementwise(lambda e, m: e * factor + m, [scores, spread], scores.dtype)


def _hide(scores: Dense, causal: bool, window: int | None, positions: Dense | None) -> Dense:
    """Return minus infinity for keys that are hidden by position."""

    def body(e: Scalar) -> Scalar:
        batch, row, column = (linalg.IndexOp(d).result for d in (0, 3, 4))
        if positions is None:
            place = number_of(row)
        else:
            one = positions.shape[0] == 1
            place = positions.at([arith.constant(ir.IndexType.get(), 0) if one else batch, row])
        away = number_of(column) - place
        if causal:
            hidden = (away > 0) | (away <= -window) if window else away > 0
        else:
            half = (window or 0) // 2
            hidden = (away > half) | (away < -half)
        return select(hidden, e.like(-float("inf")), e)

    return elementwise(body, [scores], scores.dtype)


@LOWERINGS("concatenate_heads")
def _concatenate(_: object, x: Dense) -> Dense:
    batch, heads, rows, depth = x.shape
    return x.transpose([0, 2, 1, 3]).reshape(batch, rows, heads * depth)


@LOWERINGS("split_heads")
def _split(op: SplitHeads, x: Dense) -> Dense:
    return split_heads(x, op.num_heads)


def split_heads(x: Dense, heads: int) -> Dense:
    """Permute [B, S, H * D] to [B, H, S, D]."""
    batch, rows, width = x.shape
    return x.reshape(batch, rows, heads, width // heads).transpose([0, 2, 1, 3])


@LOWERINGS("split_query_key_value_and_split_heads")
def _split_all(op: SplitQueryKeyValueAndSplitHeads, x: Dense, kv: Dense | None = None) -> tuple[Dense, ...]:
    heads, kv_heads = op.num_heads, op.num_kv_heads or op.num_heads
    depth = x.shape[-1] // (heads + (2 * kv_heads if kv is None else 0))
    pairs, at = (x, heads * depth) if kv is None else (kv, 0)
    query = split_heads(_columns(x, 0, heads * depth), heads)
    key = split_heads(_columns(pairs, at, kv_heads * depth), kv_heads)
    value = split_heads(_columns(pairs, at + kv_heads * depth, kv_heads * depth), kv_heads)
    return query, key.transpose([0, 1, 3, 2]) if op.transpose_key else key, value


def _columns(x: Dense, begin: int, count: int) -> Dense:
    return x.slice([0, 0, begin], [*x.shape[:2], count])


@LOWERINGS("split_query_key_value_decode")
def _split_decode(op: SplitQueryKeyValueDecode, x: Dense) -> tuple[Dense, ...]:
    heads = x.reshape(*x.shape[:2], op.num_heads + 2 * op.num_kv_heads, -1)
    at, parts = 0, list[Dense]()
    for count in (op.num_heads, op.num_kv_heads, op.num_kv_heads):
        parts.append(heads.slice([0, 0, at, 0], [*heads.shape[:2], count, heads.shape[3]]))
        at += count
    return tuple(parts)


@LOWERINGS("concatenate_heads_decode")
def _concatenate_decode(op: ConcatenateHeadsDecode, x: Dense) -> Dense:
    return x.reshape(*op.results[0].shape)
