"""Rules by which ops commute with data movement, derived from their loops.

`f(move(x)) = move'(f'(x))`: an op on moved operands is the same kind of op followed by a move. Handwritten rules add
only attributes that name dimensions, and dimensions that kernels need in a certain place.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.index_map import Dim, IndexMap, Part
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.loops import Access
from ttstack.ops.matmul import Linear, Matmul
from ttstack.ops.normalization import TrailingNorm
from ttstack.ops.reduction import Reduction, Softmax
from ttstack.ops.shape import Concat, Pad
from ttstack.ops.types import TensorType

Groups = tuple[Dim, ...]
"""For each dimension of moved tensors, the parts of loops that it consists of."""
MATRIX = ("rows", "columns")
"""The last two dimensions of matmul operands."""
RESULT = -1
"""The position that stands for an op's result, next to the positions of its operands."""


@dataclass(frozen=True)
class MovedOp:
    """An op on moved operands that computes the moved result of another op."""

    op: Op
    operands: tuple[IndexMap, ...]
    result: IndexMap


def commute(op: Op, place: int, by: IndexMap) -> MovedOp | None:
    """Return the same kind of op with the operand at `place`, or the result for `RESULT`, moved by a map.

    None if the op does not commute with that map, or no rule is known.
    """
    if len(op.results) != 1 or 0 in by.source or not by.dims:
        return None
    if isinstance(op, Matmul):
        return _moved_matmul(op, place, by)
    if isinstance(op, ScaledDotProductAttention):
        return _moved_attention(op, by)
    rule = _rule(op)
    groups = None if rule is None else rule.groups(place, by)
    return None if rule is None or groups is None else rule.on(groups)


@dataclass(frozen=True)
class _Rule:
    """The loop of each dimension of each tensor, and loops that must be separate dimensions."""

    op: Op
    operands: tuple[tuple[int | None, ...], ...]
    result: tuple[int | None, ...]
    whole: frozenset[int]
    """Loops that must be one dimension each: the op concatenates, slices or reduces along them."""
    last: int | None = None
    """The loop that must be the last dimension, if any."""

    @property
    def extents(self) -> dict[int, int]:
        """The extent of each loop: the largest in all tensors."""
        extents: dict[int, int] = {}
        for t, loops in self._tensors:
            for n, loop in zip(t.shape, loops, strict=True):
                if loop is not None:
                    extents[loop] = max(n, extents.get(loop, 0))
        return extents

    @property
    def _tensors(self) -> Iterator[tuple[TensorType, tuple[int | None, ...]]]:
        yield from zip(self.op.operands, self.operands, strict=True)
        yield self.op.results[0], self.result

    def groups(self, place: int, by: IndexMap) -> Groups | None:
        """Return the loops in the order of a moved tensor.

        None if some are missing, or a loop of `whole` is merged or split.
        """
        loops = self.result if place == RESULT else self.operands[place]
        extents, shape = self.extents, by.source
        dims: list[Dim] = []
        for dim in by.dims:
            parts = [(loops[p.axis], p) for p in dim]
            if any(loop is None for loop, _ in parts):
                return None
            dims.append(
                tuple(
                    Part(loop, p.stride, extents[loop] if p.extent == shape[p.axis] else p.extent)
                    for loop, p in parts
                    if loop is not None
                )
            )
        present = {p.axis for dim in dims for p in dim}
        missing = [loop for loop, n in extents.items() if n > 1 and loop not in present]
        if isinstance(self.op, Reduction) and place == RESULT and all(loop in self.op.dims for loop in missing):
            dims = self._with_reduced(dims, sorted(missing))
        elif missing:
            return None
        return tuple(dims) if self._is_whole(dims) else None

    def _with_reduced(self, dims: list[Dim], missing: Sequence[int]) -> list[Dim]:
        """Insert reduced loops at their former distance from the last dimension, before it, or at the front."""
        rank, extents = len(self.operands[0]), self.extents
        free = [i for i, dim in enumerate(dims) if not dim]
        for loop in missing:
            dim = (Part(loop, 1, extents[loop]),)
            slot = len(dims) - (rank - loop)
            if slot in free:
                dims[slot] = dim
                free.remove(slot)
            else:
                dims.insert(max(0, len(dims) - (rank - loop) + 1), dim)
        return dims

    def _is_whole(self, dims: Sequence[Dim]) -> bool:
        extents, last = self.extents, self.last
        if not self.whole <= {part.axis for dim in dims for part in dim}:
            return False
        for i, dim in enumerate(dims):
            for part in dim:
                if part.axis in self.whole and (len(dim) > 1 or part.extent != extents[part.axis]):
                    return False
                if part.axis == last and i != len(dims) - 1:
                    return False
        return True

    def on(self, groups: Groups) -> MovedOp | None:
        """Return the op on operands whose dimensions are these loops."""
        extents = self.extents
        maps = [_restrict(groups, loops, t.shape, extents) for t, loops in self._tensors]
        if isinstance(self.op, TrailingNorm):
            for i in self.op.operand_positions("weight", "bias"):
                maps[i] = IndexMap.identity(self.op.operands[i].shape)
        moved = [m for m in maps if m is not None]
        if len(moved) < len(maps):
            return None
        return _moved(self.op, moved[:-1], moved[-1], _attributes(self.op, groups))


def _restrict(
    groups: Groups, loops: Sequence[int | None], shape: Sequence[int], extents: Mapping[int, int]
) -> IndexMap | None:
    """Return the map of a tensor with these loops; None if one of its dimensions would be partly broadcast."""
    if not shape:
        return IndexMap((), ())
    axes = {loop: i for i, loop in enumerate(loops) if loop is not None and shape[i] > 1}
    dims: list[Dim] = []
    for group in groups:
        parts = [p for p in group if p.axis in axes]
        if parts and len(parts) < len(group):
            return None
        dims.append(
            tuple(
                Part(axes[p.axis], p.stride, shape[axes[p.axis]] if p.extent == extents[p.axis] else p.extent)
                for p in parts
            )
        )
    return IndexMap(tuple(shape), tuple(dims))


def _rule(op: Op) -> _Rule | None:
    """Return the rule of an op; None if its loops do not define one."""
    if isinstance(op, Concat | SliceStatic | Pad):
        rank = op.results[0].rank
        same = tuple(range(rank))
        return _Rule(op, (same,) * len(op.operands), same, frozenset(_changed(op)))
    if not isinstance(op, Eltwise | Reduction | Softmax | TrailingNorm):
        return None
    loops = op.dispatch()
    if any(m.access not in (Access.LOCAL, Access.MULTICAST) or m.terms for m in loops.maps):
        return None
    tensors = (*op.operands, *op.results)
    if any(len(m.loops) != t.rank for m, t in zip(loops.maps, tensors, strict=True)):
        return None
    *operands, result = (m.loops for m in loops.maps)
    whole, last = frozenset(loops.reductions), None
    if isinstance(op, Softmax | TrailingNorm):
        along = {op.dimension % op.input.rank} if isinstance(op, Softmax) else {*op.dims}
        if along != {op.input.rank - 1} or (isinstance(op, Softmax) and op.mask is not None):
            return None
        whole, last = frozenset(along), op.input.rank - 1
    return _Rule(op, tuple(operands), result, whole, last)


def _changed(op: Concat | SliceStatic | Pad) -> set[int]:
    """Return the dimensions along which the op concatenates, slices or pads."""
    rank = op.results[0].rank
    if isinstance(op, Concat):
        return {op.dim % rank}
    if isinstance(op, Pad):
        return {d for d in range(rank) if any(op.padding[2 * d : 2 * d + 2])}
    return {d for d in range(rank) if op.input.shape[d] != op.results[0].shape[d] or op.step[d] != 1}


def _attributes(op: Op, groups: Groups) -> dict[str, Any]:
    """Return the attributes of an op whose dimensions are these loops."""
    spelled = next((rule for kind, rule in _SPELLED.items() if isinstance(op, kind)), None)
    return op.attributes() if spelled is None else {**op.attributes(), **spelled(op, groups)}


def _dims_with(groups: Groups, loops: Sequence[int]) -> tuple[int, ...]:
    return tuple(i for i, group in enumerate(groups) if any(p.axis in loops for p in group))


def _reduction(op: Reduction, groups: Groups) -> dict[str, Any]:
    return {"keep_dim": True, "dim_arg": _dims_with(groups, op.dims)}


def _softmax(_: Softmax, groups: Groups) -> dict[str, Any]:
    return {"dimension": len(groups) - 1}


def _concat(op: Concat, groups: Groups) -> dict[str, Any]:
    return {"dim": _dims_with(groups, [op.dim % op.results[0].rank])[0]}


def _slice(op: SliceStatic, groups: Groups) -> dict[str, Any]:
    bounds = [_alone(group, op.input.shape, lambda d: (op.begins[d], op.ends[d], op.step[d])) for group in groups]
    begins, ends, step = zip(*bounds, strict=True)
    return {"begins": begins, "ends": ends, "step": step}


def _pad(op: Pad, groups: Groups) -> dict[str, Any]:
    return {"padding": tuple(n for group in groups for n in _padding(op, group))}


def _padding(op: Pad, group: Dim) -> tuple[int, ...]:
    return op.padding[2 * group[0].axis : 2 * group[0].axis + 2] if len(group) == 1 else (0, 0)


def _alone(group: Dim, shape: Sequence[int], bounds: Callable[[int], tuple[int, int, int]]) -> tuple[int, int, int]:
    if len(group) == 1 and group[0].extent == shape[group[0].axis]:
        return bounds(group[0].axis)
    extent = 1
    for part in group:
        extent *= part.extent
    return 0, extent, 1


_SPELLED: Mapping[type[Op], Callable[[Any, Groups], dict[str, Any]]] = {
    Reduction: _reduction,
    Softmax: _softmax,
    Concat: _concat,
    SliceStatic: _slice,
    Pad: _pad,
}
"""For each kind of op, a function that returns the attributes which name dimensions."""


def _moved(op: Op, operands: Sequence[IndexMap], result: IndexMap, attributes: Mapping[str, Any]) -> MovedOp | None:
    if any(math.prod(m.shape) != math.prod(m.source) for m in (*operands, result)):
        return None  # the moved operand lacks dimensions that others have
    types = [t.with_shape(m.shape) for t, m in zip(op.operands, operands, strict=True)]
    moved = op.with_operands(types, attributes, op.results[0].with_shape(result.shape))
    return MovedOp(moved, tuple(operands), result) if moved.results[0].shape == result.shape else None


def _moved_attention(op: ScaledDotProductAttention, by: IndexMap) -> MovedOp | None:
    """Return attention whose heads and batch change places: every head is computed by itself."""
    if len(by.dims) <= len(MATRIX):
        return None
    *lead, rows, columns = by.dims
    others = op.operands[3:]
    is_alike = op.query.shape[:2] == op.key.shape[:2] and all(t.shape[:-2] == (1,) * (t.rank - 2) for t in others)
    is_whole = (rows, columns) == IndexMap.identity(by.source).dims[2:]
    if not is_alike or not is_whole or op.attention_sink is not None:
        return None
    *outer, heads = lead
    batch = tuple(part for dim in outer for part in dim)
    *maps, result = (
        IndexMap(t.shape, (batch, heads, (Part(2, 1, t.shape[2]),), (Part(3, 1, t.shape[3]),)))
        for t in (*op.operands[:3], op.results[0])
    )
    return _moved(op, [*maps, *(IndexMap.identity(t.shape) for t in others)], result, op.attributes())


@dataclass(frozen=True)
class _MatmulLoops:
    """The loops of each dimension of a matmul's operands and result: batch, rows, columns, then the inner dimension."""

    op: Matmul
    a: tuple[int | None, ...]
    b: tuple[int | None, ...]
    result: tuple[int | None, ...]

    @staticmethod
    def of(op: Matmul) -> "_MatmulLoops | None":
        """Return the loops of a matmul; None for vectors, or if a bias broadcasts the matmul's result."""
        nest = op.dispatch()
        is_plain = min(op.a.rank, op.b.rank) > 1 and min(op.mnk) > 1 and op.results[0].shape == op.product.shape
        if not is_plain or not op.adds_row:
            return None
        return _MatmulLoops(op, nest.inputs[0].loops, nest.inputs[1].loops, nest.outputs[0].loops)

    @property
    def matrix(self) -> tuple[int, int, int]:
        """The loops of rows, columns and the inner dimension."""
        rank = len(self.result)
        return rank - 2, rank - 1, rank

    @property
    def shares_b(self) -> bool:
        """True if all batches share one matrix, so that batch dimensions are flattened rows."""
        return all(extent == 1 for extent in self.op.b.shape[:-2])

    def groups(self, place: int, by: IndexMap) -> Groups | None:
        """Return the loops in the order of a moved operand or result; None for a bias, and for a shared matrix."""
        loops = {0: self.a, 1: None if self.shares_b else self.b, RESULT: self.result}.get(place)
        if loops is None or len(by.dims) < len(MATRIX):
            return None
        axes = {axis: loop for axis, loop in enumerate(loops) if loop is not None}
        return tuple(tuple(Part(axes[p.axis], p.stride, p.extent) for p in dim) for dim in by.dims)

    def move(self, rows: Groups, column: Dim, inner: Dim, *, flips: tuple[bool, bool]) -> MovedOp | None:
        """Return the matmul whose result has these rows, of which the last is a matrix row, and these columns."""
        op, (flip_a, flip_b) = self.op, flips
        tensors = [(op.a, self.a), (op.b, self.b), (op.product, self.result)]
        extents = {
            loop: n for t, of in tensors for n, loop in zip(t.shape, of, strict=True) if loop is not None and n > 1
        }
        a = (*rows[:-1], inner, rows[-1]) if flip_a else (*rows, inner)
        b = (*(() if self.shares_b else rows[:-1]), *((column, inner) if flip_b else (inner, column)))
        maps = [
            _restrict(dims, of, t.shape, extents)
            for dims, (t, of) in zip((a, b, (*rows, column)), tensors, strict=True)
        ]
        present = [m for m in maps if m is not None]
        if len(present) < len(maps):
            return None
        *operands, result = present
        if isinstance(op, Linear) and op.bias is not None:
            last = op.bias.rank - 1
            operands.append(IndexMap(op.bias.shape, (tuple(Part(last, p.stride, p.extent) for p in column),)))
        return _moved(op, operands, result, {**op.attributes(), "transpose_a": flip_a, "transpose_b": flip_b})


def _moved_matmul(op: Matmul, place: int, by: IndexMap) -> MovedOp | None:
    """Return the matmul with its rows in another dimension, or its columns or inner dimension in another order."""
    loops = _MatmulLoops.of(op)
    groups = None if loops is None else loops.groups(place, by)
    if loops is None or groups is None:
        return None
    row, column, inner = loops.matrix
    first, last = {0: (row, inner), 1: (inner, column), RESULT: (row, column)}[place]
    *lead, before, end = groups
    is_flipped = place != RESULT and _loops(before) == {last} and _loops(end) == {first}
    if is_flipped:
        before, end = end, before
    free = {*range(row + 1 if loops.shares_b and not is_flipped else row)}
    if _loops(end) != {last} or not _loops(*lead) <= free or not _loops(before) <= free | {first}:
        return None
    if not loops.shares_b and _loops(before) != {first}:
        return None
    dims = {loop: (Part(loop, 1, n),) for loop, n in zip(loops.matrix, op.mnk, strict=True)} | {last: end}
    if first == inner:
        dims[inner] = before
    rows = (*lead, before if first == row else dims[row])
    flips = (is_flipped if place == 0 else op.transpose_a, is_flipped if place == 1 else op.transpose_b)
    return loops.move(rows, dims[column], dims[inner], flips=flips)


def _loops(*dims: Dim) -> set[int]:
    return {part.axis for dim in dims for part in dim}
