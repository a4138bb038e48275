"""Attention scores, from the matmul of queries and keys to the input of softmax."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import DType, ElementType, TensorType
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.movement_chain import MOVES, after
from ttstack.passes.ttir.queries.producers import scalar, with_scalar
from ttstack.passes.ttir.recognize.upcast_operands import lies_in
from ttstack.placement.element_values import HIDDEN

_LEVEL = -1e9
"""Below this, adding a score under 32 does not change a float32 number, so fully hidden rows stay equal."""


@dataclass(frozen=True)
class Mask:
    """A mask that is added to scores, or that hides some of them."""

    value: ir.Value
    scores: TensorType
    moved: IndexMap
    """The map of the matmul's axes at the point of the mask."""
    factor: float = 1.0
    """A later factor of scores and mask."""
    choice: tuple[float, float] | None = None
    """The numbers added for true and for false; None if the value itself is added."""

    def is_of(self, dtype: ElementType) -> bool:
        """Return True if scores and mask have that element type, or scores are f32 and it is bf16."""
        fits = self.scores.dtype == dtype or (self.scores.dtype is DType.F32 and dtype is DType.BF16)
        return fits and (self.choice is not None or lies_in(self.value, dtype))


@dataclass(frozen=True)
class Scores:
    """Scores `product * scale + masks` of a matmul."""

    product: ir.Operation
    moved: IndexMap
    """The map of the matmul's axes."""
    scale: float = 1.0
    masks: tuple[Mask, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    """All shapes of the scores on the path."""

    @property
    def keep_rows(self) -> bool:
        """Return True if queries and keys are the last two dimensions, in order, at each mask and at the end."""
        seen = [self.shapes[0], self.shapes[-1], *(mask.scores.shape for mask in self.masks)]
        in_order = all(moved.keeps_order for moved in (self.moved, *(mask.moved for mask in self.masks)))
        return in_order and len({shape[-2:] for shape in seen}) == 1

    def times(self, factor: float) -> "Scores | None":
        """Return all of it times a factor; None if the factor is not positive, as hidden keys would not stay hidden."""
        if not factor > 0:
            return None
        masks = tuple(replace(m, factor=m.factor * factor) for m in self.masks)
        return replace(self, scale=self.scale * factor, masks=masks)


def scores_of(value: ir.Value) -> Scores | None:
    """Trace scores back to the matmul of queries and keys; None if a value on the path has other uses."""
    op, shape = pure_producer(value), read_type(value.type).shape
    if op is None or len(list(value.uses)) > 1:
        return None
    step = _STEPS.get(op.name)
    scores = next((s for s in step(op) if s is not None), None) if step else None
    return scores and replace(scores, shapes=(*scores.shapes, shape))


def level_masks(masks: tuple[Mask, ...]) -> tuple[Mask, ...] | None:
    """Return masks that add a hiding number instead of replacing scores by it; None if that is not equivalent.

    A number above -1e9 would let scores show through, so -1e9 replaces it, which hides equally without another mask.
    None if there is one, if the number hides nothing, or if the element type cannot represent it.
    """
    if all(m.choice is None or min(m.choice) <= _LEVEL for m in masks):
        return masks
    mask, *others = masks
    if others or mask.choice is None or min(mask.choice) * mask.factor > HIDDEN or mask.scores.dtype == DType.F16:
        return None
    first, second = (_LEVEL if number < 0 else 0.0 for number in mask.choice)
    return (replace(mask, choice=(first, second)),)


def behind(value: ir.Value) -> ir.Value:
    """Return the value before reshapes of leading dimensions and casts, if each has one use."""
    while (op := pure_producer(value)) is not None and len(list(value.uses)) == 1 and same_rows(op):
        value = op.operands[0]
    return value


def same_rows(op: ir.Operation) -> bool:
    """Return True if an op changes only the shape before the last two dimensions, or the floating-point type."""
    if op.name != "ttir.typecast" and op.name not in VIEWS:
        return False
    before, after = (read_type(v.type) for v in (op.operands[0], op.results[0]))
    return before.shape[-2:] == after.shape[-2:] and before.dtype.is_float and after.dtype.is_float


def _product(op: ir.Operation) -> Iterator[Scores | None]:
    shape = read_type(op.results[0].type).shape
    yield None if 0 in shape else Scores(op, IndexMap.identity(shape))


def _same(op: ir.Operation) -> Iterator[Scores | None]:
    if op.name in MOVES or same_rows(op):
        inner = scores_of(op.operands[0])
        moved = inner and (after(inner.moved, op) if op.name in MOVES else inner.moved)
        yield inner and moved and replace(inner, moved=moved)


def _scale(op: ir.Operation) -> Iterator[Scores | None]:
    if (scaled := with_scalar(op)) and _of_its_shape(op, scaled[0]):
        inner = scores_of(scaled[0])
        yield inner and inner.times(scaled[1])


def _divide(op: ir.Operation) -> Iterator[Scores | None]:
    if (divisor := scalar(op.operands[1])) and _of_its_shape(op, op.operands[0]):
        inner = scores_of(op.operands[0])
        yield inner and inner.times(1 / divisor)


def _mask(op: ir.Operation) -> Iterator[Scores | None]:
    for value, mask in (op.operands, reversed(op.operands)):
        if _of_its_shape(op, value) and (inner := scores_of(value)):
            added = () if scalar(mask) == 0 else (Mask(mask, read_type(value.type), inner.moved),)
            yield replace(inner, masks=(*inner.masks, *added))


def _choose(op: ir.Operation) -> Iterator[Scores | None]:
    """Yield the scores of a choice whose other case has no weight."""
    condition, *values = op.operands
    for value, other in (values, reversed(values)):
        if (least := _everywhere(other)) is not None and least <= HIDDEN and _of_its_shape(op, value):
            choice = (0.0, least) if value == values[0] else (least, 0.0)
            if inner := scores_of(value):
                mask = Mask(condition, read_type(value.type), inner.moved, choice=choice)
                yield replace(inner, masks=(*inner.masks, mask))


def _everywhere(value: ir.Value) -> float | None:
    """Return the number in all elements of a value of any shape."""
    while (op := pure_producer(value)) is not None and (op.name in VIEWS or op.name == "ttir.broadcast"):
        value = op.operands[0]
    return scalar(value)


def _of_its_shape(op: ir.Operation, value: ir.Value) -> bool:
    return read_type(value.type).shape == read_type(op.results[0].type).shape


_STEPS = {
    "ttir.matmul": _product,
    "ttir.multiply": _scale,
    "ttir.div": _divide,
    "ttir.add": _mask,
    "ttir.where": _choose,
    **dict.fromkeys(("ttir.typecast", *MOVES), _same),
}
