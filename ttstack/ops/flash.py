"""Attention as loops: its exact nest, and what a kernel that passes over blocks of keys does of it."""

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
"""Loops of the nest: keys and the depth of a head are reduced, one after the other."""


@dataclass(frozen=True)
class Attended:
    """What the scores of attention are made of, beside query and keys."""

    scale: float
    is_causal: bool = False
    window: int | None = None
    mask: int | None = None
    """Position of the mask among the operands; of truth values, where a key is seen, else what is added."""
    sink: int | None = None
    """Position of the scores, one a head, that take part in the softmax and have no value."""
    structure: MaskStructure | None = None
    """Which of them are seen, where that is known and not said by the two above."""

    def visible(self, queries: int, keys: int) -> MaskStructure | None:
        """Which of so many scores are seen, where that is known; None where all may be."""
        if self.structure is None and (self.is_causal or self.window):
            return visible_by_place(queries, keys, self.window, is_causal=self.is_causal)
        return self.structure

    def flops(self, query: TensorType, key: TensorType, value: TensorType) -> int:
        """Two matrix products of the scores that are seen; of causal ones half."""
        (b, h, s, d), keys = query.shape, key.shape[2]
        work = 2 * b * h * s * keys * (d + value.shape[3])
        if self.is_causal and not (self.window or self.structure):
            return work // 2
        seen = self.visible(s, keys)
        return work if seen is None else round(2 * b * h * s * seen.seen * (d + value.shape[3]))


def attention_nest(operands: Sequence[TensorType], out: TensorType, of: Attended) -> LoopNest | None:
    """Softmax of scores times values, [B, Hq, S, D] on [B, Hkv, Sk, D]; None where a sink is not [1, Hq, 1, 1]."""
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
    """Scores, their softmax relative to the row's maximum, and values; a row that sees no key gives 0."""
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
    """(loop, start): keys are seen where the position along the loop, counted from the start, is not below the other.

    A causal query sees no later key, and with a window only the last ones; without causality a window is centred.
    """
    if of.is_causal:
        return ((ROW, 0), (KEY, of.window - 1)) if of.window else ((ROW, 0),)
    return ((KEY, of.window // 2), (ROW, of.window // 2)) if of.window else ()


def is_flash(nest: LoopNest) -> bool:
    """Whether it is attention: products before and after reductions, in one loop over keys."""
    names = [op.name for op in nest.body]
    return names.count("matmul") == 2 and "reduce_max" in names and len(nest.domain) == COLUMN + 1


def read_attention(nest: LoopNest) -> Attended:
    """What the region of a nest of attention says of its scores."""
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
    """What the kernel does of a nest."""
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
    """Heads and query blocks run side by side, key blocks one after another; a causal mask hides half of those.

    `domain` counts tiles of batch, heads, rows and keys, `columns` those of a head of keys and one of values; `others`
    are the operands that follow these three. Of the tiles of scores a `share` is visited.
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
    """Loops over batch, heads, rows of queries and keys, of which a share of `visible` is scored.

    `widths` are those of a head of keys and of values. Queries and results are read along loops 0 to 2, keys and
    values along 0, 1 and 3.
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
    """The same in tiles, of which heads of keys and values together are `columns` wide."""
    body = (
        TileWork("matmul", (0, 1), visible * columns),
        TileWork("exp", (0,), visible),
        TileWork("reduce_max", (0,), visible),
        TileWork("reduce_sum", (0,), visible),
        TileWork("multiply", (0,), visible),
    )
    iterators = (*[Iterator.PARALLEL] * 3, Iterator.REDUCTION)
    return WorkEstimate(domain=domain, iterators=iterators, inputs=inputs, outputs=(output,), body=body)
