"""Attention as loops: its exact nest, and the work of a kernel that iterates over blocks of keys."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import broadcast_map
from ttstack.ops.loops import SAME, Access, IndexExpr, IndexingMap, Iterator, TileWork
from ttstack.ops.mask_structure import MaskStructure, visible_by_place
from ttstack.ops.rows import RegionBuilder
from ttstack.ops.types import DType, TensorType, tile_shape, tiles
from ttstack.ops.work_estimate import WorkEstimate

BATCH, HEAD, ROW, KEY, DEPTH, COLUMN = range(6)
"""Loops of the nest; the loops over keys and head depth are reductions."""


@dataclass(frozen=True)
class Attended:
    """The operands and options of attention scores, apart from query and keys."""

    scale: float
    is_causal: bool = False
    window: int | None = None
    mask: int | None = None
    """Position of the mask operand: bool selects visible keys, other types are added to the scores."""
    sink: int | None = None
    """Position of the sink operand: one score per head that enters the softmax without a value."""
    structure: MaskStructure | None = None
    """The visible scores, if they are known but not implied by the two fields above."""

    def visible(self, queries: int, keys: int) -> MaskStructure | None:
        """Return the visible scores for these numbers of queries and keys; None if all may be visible."""
        if self.structure is None and (self.is_causal or self.window):
            return visible_by_place(queries, keys, self.window, is_causal=self.is_causal)
        return self.structure

    def flops(self, query: TensorType, key: TensorType, value: TensorType) -> int:
        """Return the operations of two matmuls over the visible scores; half for causal attention."""
        (b, h, s, d), keys = query.shape, key.shape[2]
        work = 2 * b * h * s * keys * (d + value.shape[3])
        if self.is_causal and not (self.window or self.structure):
            return work // 2
        seen = self.visible(s, keys)
        return work if seen is None else round(2 * b * h * s * seen.seen * (d + value.shape[3]))


def attention_nest(operands: Sequence[TensorType], out: TensorType, of: Attended) -> LoopNest | None:
    """Return the nest of attention, [B, Hq, S, D] on [B, Hkv, Sk, D]; None if a sink is not [1, Hq, 1, 1]."""
    query, key, value = operands[:3]
    if not out.size or not key.size or (of.sink is not None and operands[of.sink].shape != (1, out.shape[1], 1, 1)):
        return None
    group = IndexExpr(query.shape[1] // key.shape[1])
    terms = (SAME, group, SAME, SAME) if group != SAME else ()
    shared = [IndexingMap((BATCH, HEAD, KEY, i), Access.MULTICAST, terms=terms) for i in (DEPTH, COLUMN)]
    scores = out.with_shape((*out.shape[:3], key.shape[2]))
    region = RegionBuilder(operands)
    _attend(region, of, operands)
    return LoopNest(
        domain=(*tile_shape(scores.shape), tiles(query.shape[3]), tiles(value.shape[3])),
        iterators=tuple(Iterator.REDUCTION if i in (KEY, DEPTH) else Iterator.PARALLEL for i in range(6)),
        inputs=(
            IndexingMap((BATCH, HEAD, ROW, DEPTH)),
            *shared,
            *(broadcast_map(t, scores) for t in operands[3:]),
        ),
        outputs=(IndexingMap((BATCH, HEAD, ROW, COLUMN)),),
        body=tuple(region.body),
    )


def _attend(region: RegionBuilder, of: Attended, operands: Sequence[TensorType]) -> None:
    """Add scores, softmax relative to the row maximum, and values; a row without visible keys gives 0."""
    hidden = region("fill", value=-math.inf)
    scores = region("multiply", region("matmul", 0, 1, loops=(DEPTH,)), region("fill", value=of.scale))
    if of.mask is not None:
        truth = operands[of.mask].dtype is DType.I1
        scores = region("where", of.mask, scores, hidden) if truth else region("add", scores, of.mask)
    for loop, start in comparisons(of):
        other = ROW + KEY - loop
        here, there = _positions(region, loop, start), _positions(region, other, 0)
        scores = region("where", region("ge", here, there, dtype=DType.SI32), scores, hidden)
    top = region("reduce_max", scores, loops=(KEY,))
    top = top if of.sink is None else region("maximum", top, of.sink)
    top = region("where", region("gt", top, hidden, dtype=DType.SI32), top, region("fill", value=0.0))
    powers = region("exp_approx", region("subtract", scores, top))
    total = region("reduce_sum", powers, loops=(KEY,))
    if of.sink is not None:
        total = region("add", total, region("exp_approx", region("subtract", of.sink, top)))
    factor = region("reciprocal", region("maximum", total, region("fill", value=1.0)))
    region("multiply", region("matmul", powers, 2, loops=(KEY,)), factor)


def _positions(region: RegionBuilder, loop: int, start: int) -> int:
    return region("iota", start=start, step=1, along=loop, dtype=DType.SI32)


def comparisons(of: Attended) -> tuple[tuple[int, int], ...]:
    """Return pairs (loop, start): a key is visible if its position, counted from start, is not below the other.

    A causal query attends to no later key, and with a window only to the last ones; without causality a window is
    centred.
    """
    if of.is_causal:
        return ((ROW, 0), (KEY, of.window - 1)) if of.window else ((ROW, 0),)
    return ((KEY, of.window // 2), (ROW, of.window // 2)) if of.window else ()


def is_flash(nest: LoopNest) -> bool:
    """Return True for attention: matmuls before and after reductions, in one loop over keys."""
    names = [op.name for op in nest.body]
    return names.count("matmul") == 2 and "reduce_max" in names and len(nest.domain) == COLUMN + 1


def read_attention(nest: LoopNest) -> Attended:
    """Read mask, sink and scale of the scores from an attention nest."""
    first = len(nest.inputs) + 1
    values = dict(enumerate(nest.body, first))
    made = [(op.name, dict(op.attributes), op.args) for op in nest.body]
    loops = [dict(values[args[0]].attributes) for name, _, args in made if name == "ge" and args[0] in values]
    starts = [(int(found["along"]), int(found["start"])) for found in loops if {"along", "start"} <= found.keys()]
    numbers = [found["value"] for name, found, _ in made if name == "fill"]
    sink = next((a for name, _, args in made if name == "maximum" for a in args if 3 <= a < first - 1), None)
    mask = next((i for i in range(3, len(nest.inputs)) if i != sink), None)
    found = Attended(float(numbers[1]) if len(numbers) > 1 else 1.0, mask=mask, sink=sink)
    match starts:
        case [(2, 0), *rest]:
            return replace(found, is_causal=True, window=rest[0][1] + 1 if rest else None)
        case [(3, half), *_]:
            return replace(found, window=max(2 * half, 1))
        case _:
            return found


def kernel_passes(nest: LoopNest, result: TensorType) -> WorkEstimate:
    """Estimate the work of the kernel of an attention nest."""
    columns = nest.domain[DEPTH] + nest.domain[COLUMN]
    return head_passes(nest.domain[:4], columns, nest.inputs[3:], result, is_causal=nest.is_causal)


def head_passes(
    domain: tuple[int, ...],
    columns: int,
    others: Sequence[IndexingMap],
    result: TensorType,
    *,
    is_causal: bool,
    share: float = 1.0,
) -> WorkEstimate:
    """Estimate parallel work on heads and query blocks, with key blocks in sequence; a causal mask hides half of them.

    `domain` counts tiles of batch, heads, rows and keys, `columns` those of a key head and a value head; `others` are
    the operands after query, key and value. A `share` of the score tiles is visited.
    """
    query, keys = IndexingMap((BATCH, HEAD, ROW, None)), IndexingMap((BATCH, HEAD, KEY, None), Access.MULTICAST)
    visible = 0.5 if is_causal and result.shape[ROW] > 1 else share
    return passes(domain, columns, (query, keys, keys, *others), query, visible)


def flash(
    extents: tuple[int, int, int, int],
    widths: tuple[int, int],
    inputs: tuple[IndexingMap, ...],
    output: IndexingMap,
    visible: float = 1.0,
) -> WorkEstimate:
    """Estimate loops over batch, heads, query rows and keys, of which a share of `visible` is scored.

    `widths` are those of a key head and a value head. Queries and results are indexed by loops 0 to 2, keys and values
    by 0, 1 and 3.
    """
    batch, heads, rows, keys = extents
    return passes((batch, heads, tiles(rows), tiles(keys)), sum(map(tiles, widths)), inputs, output, visible)


def passes(
    domain: tuple[int, ...],
    columns: int,
    inputs: tuple[IndexingMap, ...],
    output: IndexingMap,
    visible: float,
) -> WorkEstimate:
    """Estimate the same in tiles; key and value heads together are `columns` wide."""
    body = (
        TileWork("matmul", (0, 1), visible * columns),
        TileWork("exp", (0,), visible),
        TileWork("reduce_max", (0,), visible),
        TileWork("reduce_sum", (0,), visible),
        TileWork("multiply", (0,), visible),
    )
    iterators = (*[Iterator.PARALLEL] * 3, Iterator.REDUCTION)
    return WorkEstimate(domain=domain, iterators=iterators, inputs=inputs, outputs=(output,), body=body)
