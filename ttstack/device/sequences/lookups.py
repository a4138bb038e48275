"""Rows of tables: the library looks them up by 2-D unsigned indices, without pooling."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.base import OPS
from ttstack.ops.creation import Arange
from ttstack.ops.embedding import Embedding, EmbeddingBackward
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.shape import Pad, Reshape
from ttstack.ops.types import TILE, DType, TensorType

_A_LOT = 3e38
"""A number close to the maximum of bf16 and f32."""


@calls_of("embedding")
def embedding(s: CallWriter) -> CallSequence | None:
    """Look up rows in bf16, and reshape to the result."""
    t = s.op.operands[0]
    shape = getattr(s.op, "shape", None) or t.shape
    matrix, plain = shape if len(shape) == 2 else (1, t.size), replace(s.wanted, dtype=DType.BF16)
    ids, result = s.reshape(s.cast(0, DType.UI32), matrix), s.op.results[0]
    rows = [s.itself(s.op, ids, part, to=[plain]) for part in _parts(s, 1, s.wanted.dtype)]
    embedded = s.cast(_sum(s, rows), s.wanted.dtype, to=s.wanted)
    if len(shape) == 2:
        return s.end(embedded)
    rows = result.with_shape((*matrix, result.shape[-1]))
    return s.end(s.call(Reshape(input=rows, shape=result.shape), embedded, to=s.wanted))


@calls_of("embedding_bag")
def embedding_bag(s: CallWriter) -> CallSequence | None:
    """Look up and pool rows; for bags with offsets, sums are a matmul with a 0/1 matrix."""
    if s.op.offsets is not None:
        return _bags_by_offset(s)
    return _equal_bags(s) if s.op.padding_idx == -1 else _counted_bags(s)


def _operand(s: CallWriter, place: str) -> int:
    value = s.operand(place)
    assert value is not None, place
    return value


def _parts(s: CallWriter, table: int, wanted: DType) -> list[int]:
    """Return bf16 tables: one, or three whose sum is exactly the f32 table for finite numbers."""
    if s.layout(table).dtype is not DType.F32 or wanted is not DType.F32:
        return [s.cast(table, DType.BF16)]
    parts, rest = list[int](), s.tile(table)
    for _ in range(2):
        parts.append(s.cast(rest, DType.BF16))
        rest = s.apply("subtract", rest, s.cast(parts[-1], DType.F32))
    return [s.untile(part) for part in (*parts, s.cast(rest, DType.BF16))]


def _sum(s: CallWriter, parts: Sequence[int]) -> int:
    """Add rows of all parts of a table, largest first, which is exact."""
    first, *rest = parts
    if not rest:
        return first
    total = s.cast(first, DType.F32)
    for part in rest:
        total = s.apply("add", total, s.cast(part, DType.F32))
    return total


def _rows(s: CallWriter, shape: Sequence[int]) -> int:
    """Look up a row for each index, in bf16 or f32 as the table."""
    ids = s.reshape(s.cast(_operand(s, "input"), DType.UI32), shape)
    look_up, row = Embedding(input=s.type(ids), weight=s.op.weight), Layout(DType.BF16)
    parts = _parts(s, _operand(s, "weight"), s.wanted.dtype)
    return _sum(s, [s.call(look_up, ids, part, to=row) for part in parts])


def _weighted(s: CallWriter, rows: int, shape: Sequence[int]) -> int:
    weights = s.operand("per_sample_weights")
    if weights is None:
        return rows
    return s.apply("multiply", rows, s.tile(s.reshape(weights, shape)))


def _pool(s: CallWriter, name: str, rows: int, dim: int, *, keep: bool = False, to: Layout | None = None) -> int:
    return s.apply(name, rows, to=to, dim_arg=(dim,), keep_dim=keep)


def _equal_bags(s: CallWriter) -> CallSequence | None:
    bags, length = s.op.input.shape
    rows = _weighted(s, _rows(s, (bags, length)), [bags, length, 1])
    pooled = _pool(s, s.op.mode, rows, 1, to=replace(s.wanted, dtype=s.layout(rows).dtype))
    return s.end(s.cast(pooled, s.wanted.dtype, to=s.wanted))


def _counted_bags(s: CallWriter) -> CallSequence | None:
    """Pool equal bags with a padding index, whose rows become zeros."""
    bags, length = s.op.input.shape
    counted, rows = _counting(s, [bags, length, 1]), _weighted(s, _rows(s, (bags, length)), [bags, length, 1])
    if s.op.mode == "max":
        return _greatest(s, rows, counted)
    plain = replace(s.wanted, dtype=s.layout(rows).dtype)
    zeroed, mean = s.apply("multiply", rows, counted), s.op.mode == "mean"
    pooled = _pool(s, "sum", zeroed, 1, to=None if mean else plain)
    if mean:
        pooled = s.apply("div", pooled, _at_least_one(s, _pool(s, "sum", counted, 1)), to=plain)
    return s.end(s.cast(pooled, s.wanted.dtype, to=s.wanted))


def _greatest(s: CallWriter, rows: int, counted: int) -> CallSequence | None:
    """Return [bags, width]: the maximum of a bag's included rows; 0 without any."""
    less = s.apply("multiply", s.apply("subtract", counted, s.scalar(1.0)), s.scalar(_A_LOT))
    counted_rows = s.apply("add", s.apply("multiply", rows, counted), less)
    greatest = s.apply("multiply", _pool(s, "max", counted_rows, 1), _pool(s, "max", counted, 1))
    return s.end(s.cast(greatest, s.wanted.dtype, to=s.wanted))


def _at_least_one(s: CallWriter, count: int) -> int:
    return s.apply("clamp_scalar", count, min=1.0, max=float("inf"))


def _counting(s: CallWriter, shape: Sequence[int]) -> int:
    """Return 1 for included indices, otherwise 0."""
    ids = s.reshape(s.cast(s.tile(_operand(s, "input")), DType.F32), shape)
    return _test(s, "ne", ids, s.scalar(float(s.op.padding_idx)))


def _test(s: CallWriter, name: str, *operands: int) -> int:
    """Return one or zero in bf16, as numbers of the table."""
    types = [s.type(v).with_dtype(DType.F32) for v in operands]
    op = OPS[name].on(types, {}, TensorType((), s.op.weight.dtype))
    return s.call(op, *operands, to=Layout(DType.BF16))


def _bags_by_offset(s: CallWriter) -> CallSequence | None:
    """Pool by offsets: bag `i` has the positions at which bag `i`, but not bag `i + 1`, has begun."""
    count, bags = s.op.input.size, s.op.results[0].shape[0]
    ones = _membership(s, count, bags)
    if s.op.padding_idx != -1:
        ones = s.apply("multiply", ones, _counting(s, [1, count]))
    if s.op.mode == "max":
        return _greatest(s, _rows(s, (1, count)), s.reshape(ones, [bags, count, 1]))
    rows = s.reshape(_rows(s, (1, count)), [count, s.op.results[0].shape[1]])
    rows, mean = _weighted(s, rows, [count, 1]), s.op.mode == "mean"
    product = Matmul(a=s.type(ones), b=s.type(rows))
    sums = s.call(product, ones, rows, to=None if mean else s.wanted)
    if mean:
        sums = s.apply("div", sums, _at_least_one(s, _pool(s, "sum", ones, 1, keep=True)), to=s.wanted)
    return s.end(sums)


def _membership(s: CallWriter, count: int, bags: int) -> int:
    """Return [bags, count]: 1 if a bag contains a position."""
    row = TensorType((1, count), DType.F32)
    positions = s.call(Arange(type=row, start=0, end=count, step=1, arange_dimension=1), to=Layout(DType.F32))
    offsets = s.cast(s.tile(_operand(s, "offsets")), DType.F32)
    size = s.op.offsets.size
    begun = _test(s, "ge", positions, s.reshape(offsets, [size, 1]))
    after = _cut(s, begun, (1, 0), (size, count))
    if s.op.include_last_offset:
        return s.apply("subtract", _cut(s, begun, (0, 0), (bags, count)), after)
    return s.apply("subtract", begun, s.call(Pad(input=s.type(after), padding=(0, 1, 0, 0), value=0.0), after))


def _cut(s: CallWriter, value: int, begins: tuple[int, ...], ends: tuple[int, ...]) -> int:
    return s.call(SliceStatic(input=s.type(value), begins=begins, ends=ends, step=(1,) * len(ends)), value)


@calls_of("embedding_backward")
def embedding_backward(s: CallWriter) -> CallSequence | None:
    """Add up gradients by table row, in 16 bits; zeros are appended to whole tiles of rows."""
    width, rows = s.op.weight.shape[-1], s.op.input.size
    ids = s.cast(s.reshape(_operand(s, "input"), [1, rows]), DType.UI32)
    gradient = _operand(s, "in_gradient")
    call_dtype = DType.BF16 if s.layout(gradient).dtype is DType.F32 else s.layout(gradient).dtype
    flat = s.reshape(s.cast(gradient, call_dtype), [1, 1, rows, width])
    if more := -rows % TILE:
        ids = s.call(Pad(input=s.type(ids), padding=(0, 0, 0, more), value=0.0), ids)
        flat = s.call(Pad(input=s.type(flat), padding=(0, 0, 0, 0, 0, more, 0, 0), value=0.0), flat)
    whole = EmbeddingBackward(input=s.type(ids), weight=s.op.weight, in_gradient=s.type(flat))
    summed = s.itself(whole, ids, _operand(s, "weight"), flat, to=[replace(s.wanted, dtype=call_dtype)])
    return s.end(s.cast(summed, s.wanted.dtype, to=s.wanted))
