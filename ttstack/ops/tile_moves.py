"""Loop nests of ops that move whole tiles: reshapes, slices, repeats and heads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.ops.einops import EinopsPattern
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import SAME, Access, IndexExpr, IndexingMap, Iterator
from ttstack.ops.types import TILE, TensorType, tile_shape


def move(domain: Sequence[int], source: IndexingMap, target: IndexingMap) -> LoopNest:
    """Return the nest that copies each tile with readers and writers alone."""
    return LoopNest(tuple(domain), (Iterator.PARALLEL,) * len(domain), (source,), (target,), (TileOp("copy", (0,)),))


def gather_map(loops: Sequence[int], terms: Sequence[IndexExpr] = ()) -> IndexingMap:
    """Return the map of an operand or result whose tiles are reordered; dimensions of one tile need no loop."""
    pairs = [
        (None, SAME) if term.modulus == 1 else (i, term)
        for i, term in zip(loops, terms or [SAME] * len(loops), strict=True)
    ]
    found = tuple(term for _, term in pairs)
    return IndexingMap(tuple(i for i, _ in pairs), Access.GATHER, terms=found if set(found) - {SAME} else ())


def along(out: TensorType, terms: Sequence[IndexExpr]) -> LoopNest | None:
    """Return the nest whose result dimensions follow the operand's by these terms.

    None if the result is not a matrix.
    """
    if out.rank < 2 or not out.size:
        return None
    loops = range(out.rank)
    return move(tile_shape(out.shape), gather_map(loops, terms), gather_map(loops))


@dataclass(frozen=True)
class DimSlice:
    """The slice of an operand dimension that a result dimension reads: `step * i + offset`."""

    step: int = 1
    offset: int = 0


def take(operand: TensorType, out: TensorType, parts: Sequence[DimSlice]) -> LoopNest | None:
    """Return the nest of a slice in every dimension; None if a tile is cut."""
    matrix = out.rank - 2
    cut = any(p != DimSlice() and (p.step != 1 or p.offset % TILE) for p in parts[max(matrix, 0) :])
    if cut:
        return None
    each = [TILE if d >= matrix else 1 for d in range(operand.rank)]
    return along(out, [IndexExpr(step=p.step, offset=p.offset // n) for p, n in zip(parts, each, strict=True)])


def reshape(operand: TensorType, out: TensorType) -> LoopNest | None:
    """Return the nest of a reshape that keeps rows; all other dimensions are merged into one loop."""
    if min(operand.rank, out.rank) < 2 or operand.shape[-1] != out.shape[-1] or not out.size:
        return None
    rows = {operand.shape[-2], out.shape[-2]}
    if len(rows) > 1 and any(extent % TILE for extent in rows):
        return None
    sides = [tile_shape(t.shape) for t in (operand, out)]
    maps = [gather_map((*(0,) * (len(s) - 1), 1), (*_digits(s[:-1]), SAME)) for s in sides]
    return move((math.prod(sides[0][:-1]), sides[0][-1]), *maps)


def rearrange(operand: TensorType, out: TensorType, of: EinopsPattern) -> LoopNest | None:
    """Return the nest that permutes and merges axes.

    Rows and columns must stay, in whole tiles if merged with others.
    """
    matrix = range(operand.rank - 2, operand.rank)
    units = [-(-n // TILE) if place in matrix else n for n, place in zip(of.split, of.places, strict=True)]
    if min(operand.rank, out.rank) < 2 or not out.size:
        return None
    loops, terms = [0] * operand.rank, [IndexExpr(modulus=1)] * operand.rank
    for dim, group in enumerate(of.groups):
        long = [axis for axis in group if of.split[axis] > 1]
        inside = [axis for axis in long if of.places[axis] in matrix]
        stays = all(of.places[axis] - operand.rank == dim - out.rank and axis == long[-1] for axis in inside)
        cut = dim >= out.rank - 2 and long and (not inside or (len(long) > 1 and of.split[inside[0]] % TILE))
        if not stays or cut:
            return None
        for axis, term in zip(group, _digits([units[axis] for axis in group]), strict=True):
            loops[of.places[axis]], terms[of.places[axis]] = dim, term
    return move(tile_shape(out.shape), gather_map(loops, terms), gather_map(range(out.rank)))


def _digits(extents: Sequence[int]) -> list[IndexExpr]:
    """Return the dimensions of a loop over all of them, the last one fastest."""
    after = [math.prod(extents[d + 1 :]) for d in range(len(extents))]
    first = next((d for d, extent in enumerate(extents) if extent > 1), 0)
    return [IndexExpr(n, None if d == first else e) for d, (n, e) in enumerate(zip(after, extents, strict=True))]


def heads(matrix: TensorType, split: TensorType, *, joined: bool) -> LoopNest | None:
    """Return the nest from [B, S, H * D] to [B, H, S, D], or back if `joined`; None if a head is not whole tiles."""
    if split.shape[-1] % TILE or not split.size:
        return None
    width = split.shape[-1] // TILE
    whole = gather_map((0, 1, 2))
    parts = gather_map((0, 2, 1, 2), (SAME, IndexExpr(width), SAME, IndexExpr(1, width)))
    return move(tile_shape(matrix.shape), *((parts, whole) if joined else (whole, parts)))
