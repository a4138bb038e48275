"""Ops that move elements."""

from collections.abc import Sequence

from ttstack.device.kernel_class import is_free
from ttstack.ops.types import TILE, DType
from ttstack.ttnn_python.calls.formats import compute_format
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import data_type


@calls("reshape", "squeeze", "unsqueeze")
def reshape(o: PlacedOp) -> Expression:
    """The same elements under another shape."""
    held = o.operand_dtype if is_free(o.device_op) else compute_format("reshape", o.operand_dtype)
    found = call("reshape", o.as_format(0, held), list(o.op.results[0].shape), memory_config=o.memory)
    return o.cast(found, held)


@calls("permute", "transpose")
def permute(o: PlacedOp) -> Expression:
    """Dimensions in another order."""
    order = list(o.op.order)
    moved = [d for d, source in enumerate(order) if d != source]
    if len(moved) == 2:
        return o.unary("transpose", *moved)
    return o.unary("permute", order)


@calls("concat")
def concat(o: PlacedOp) -> Expression:
    """Tensors joined along a dimension; where they end within tiles, not in blocks of them."""
    at, rank = o.op.dim % o.op.results[0].rank, o.op.results[0].rank
    whole = at < rank - 2 or all(t.shape[at] % TILE == 0 for t in o.op.operands)
    held = o.operand_dtype if whole else compute_format("slice of parts of tiles", o.operand_dtype)
    joined = [o.as_format(i, held) for i in range(len(o.operands))]
    return o.cast(call("concat", joined, dim=o.op.dim, memory_config=o.memory), held)


@calls("broadcast")
def broadcast(o: PlacedOp) -> Expression:
    """Dimensions of extent 1 repeated."""
    if not o.op.input.rank:
        return call("clone", o.operands[0], memory_config=o.memory)
    return o.unary("repeat", list(o.op.broadcast_dimensions))


@calls("repeat")
def repeat(o: PlacedOp) -> Expression:
    """The tensor side by side with itself."""
    if not o.op.input.rank:
        return call("clone", o.operands[0], memory_config=o.memory)
    return o.unary("repeat", list(o.op.repeat_dimensions))


@calls("repeat_interleave")
def repeat_interleave(o: PlacedOp) -> Expression:
    """Each slice several times."""
    return o.unary("repeat_interleave", o.op.repeats, o.op.dim)


@calls("pad")
def pad(o: PlacedOp) -> Expression:
    """A value around the tensor, after what negative padding cuts off; what fits into its tiles stays in its memory."""
    held = compute_format("pad", o.operand_dtype)
    x, shape, pads = o.as_format(0, held), o.op.input.shape, o.op.padding
    cuts = [o.op.cut(d) for d in range(len(shape))]
    if any(map(any, cuts)):
        ends = [extent - high for extent, (_, high) in zip(shape, cuts, strict=True)]
        x = call("slice", x, [low for low, _ in cuts], ends, [1] * len(shape), memory_config=o.memory)
    around = [(max(pads[2 * d], 0), max(pads[2 * d + 1], 0)) for d in range(len(shape))]
    if not any(map(any, around)):
        return o.cast(x, held)
    given, wanted = o.device_op.operands[0], o.device_op.results[0]
    if given.tiled and any(low for low, _ in around):
        return _padded_in_rows(o, x, around, held)
    padded = o.cast(call("pad", x, around, o.op.value, memory_config=o.memory), held)
    inside = given.tiled and given.matrix(o.op.input) == wanted.matrix(o.op.results[0])
    return call("to_memory_config", padded, o.memory) if inside and given != wanted else padded


def _padded_in_rows(o: PlacedOp, x: Expression, around: Sequence[tuple[int, int]], given: DType) -> Expression:
    """Elements before those that are there shift them within tiles, which is done in rows."""
    held = DType.BF16 if given.is_block else given
    plain = x if held is given else call("typecast", x, data_type(held))
    rows = call("pad", call("to_layout", plain, Name("ttnn.ROW_MAJOR_LAYOUT")), around, o.op.value)
    return o.cast(call("to_layout", rows, Name("ttnn.TILE_LAYOUT"), memory_config=o.memory), held)
