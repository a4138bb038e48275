"""Lookups: rows gathered by index, pooled or not."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.build import broadcast_to, cast, elementwise, reshape_to, slice_along, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.pad import pad_around
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = TorchConversionTable()

_MODES = ("sum", "mean", "max")


@CONVERSIONS("embedding", to="embedding")
def _embedding(call: TorchOp) -> ir.Value:
    """Gather the row of each index."""
    return ttir.embedding(call.tensor(1), call.tensor(0))


@CONVERSIONS("embedding_dense_backward", to="embedding_backward zeros eq where reshape")
def _embedding_backward(call: TorchOp) -> ir.Value:
    """Add up rows of the gradient by index; those of the padding are 0."""
    if call.flag(4):
        call.refuse("divides gradients by how often a row is picked", "use scale_grad_by_freq=False")
    return _summed_by_row(call, call.tensor(1), call.tensor(0), call.integer(3))


def _summed_by_row(call: TorchOp, indices: ir.Value, gradient: ir.Value, padding: int) -> ir.Value:
    """Return the gradient of a table from that of each looked-up row; `padding` is -1, or a row without gradient."""
    t = read_type(gradient.type)
    if padding >= 0:
        mask = reshape_to(compare("eq", indices, padding), (*read_type(indices.type).shape, 1))
        gradient = where(mask, 0.0, gradient, t)
    table = ttir.zeros(result=call.result, shape=call.result.shape)
    return ttir.embedding_backward(indices, _table_of(indices, call.result) or table, gradient)


def _table_of(indices: ir.Value, t: TensorType) -> ir.Value | None:
    """Return the table of the forward lookup by the same indices; only its type is used."""
    lookups = (use.owner for use in indices.uses if use.owner.name == "ttir.embedding")
    tables = (op.operands[1] for op in lookups)
    return next((table for table in tables if read_type(table.type) == t), None)


_BAGS = ("embedding_bag", "embedding_bag.padding_idx", "_embedding_bag")
_BAG_GRADIENT = "_embedding_bag_backward"
_OF_EACH_ROW = "arange ge slice_static pad subtract matmul reshape broadcast div"


@CONVERSIONS(*_BAGS, to="embedding_bag")
def _embedding_bag(call: TorchOp) -> list[ir.Value]:
    """Gather and pool; the other three results are only for gradients, which recompute them."""
    if any(not _is_gradient(use.owner) for result in call.op.results[1:] for use in result.uses):
        call.refuse("is used for more than its pooled rows", "only the first result is computed")
    weights, rows = call.optional(6), None
    if weights is None and not call.flag(7):
        rows = _bag_a_row(call.tensor(1), call.tensor(2))
    bags = ttir.embedding_bag(
        rows or call.tensor(1),
        call.tensor(0),
        None if rows else call.tensor(2),
        weights,
        mode=_MODES[call.integer(4)],
        include_last_offset=call.flag(7),
        padding_idx=_padding(call, 8),
    )
    return [bags, *(bags if t is None else splat(0, t) for t in call.results[1:])]


def _is_gradient(op: ir.Operation | ir.OpView) -> bool:
    return TorchOp.name_of(op.operation) == f"torch.aten.{_BAG_GRADIENT}"


@CONVERSIONS(_BAG_GRADIENT, to=f"embedding_backward zeros eq where {_OF_EACH_ROW}")
def _embedding_bag_backward(call: TorchOp) -> ir.Value:
    """Add up the gradient of each bag for each of its rows; bags are rows of a matrix, or have offsets."""
    gradient, indices, offsets = (call.tensor(i) for i in range(3))
    if call.flag(7) or _MODES[call.integer(8)] == "max" or not call.is_none(10):
        call.refuse("has weights, scales or takes the largest", "use mode 'sum' or 'mean' without weights and scales")
    matrix = _bag_a_row(indices, offsets)
    if matrix is None:
        if _MODES[call.integer(8)] == "mean":
            call.refuse("averages bags that differ in length", "give a matrix of indices, a row for each bag")
        return _summed_by_row(call, indices, _of_each_row(indices, offsets, gradient), _padding(call, 11))
    bags, length = read_type(matrix.type).shape
    t = read_type(gradient.type)
    if _MODES[call.integer(8)] == "mean":
        gradient = elementwise("div", gradient, length, result=t)
    rows = broadcast_to(reshape_to(gradient, (bags, 1, t.shape[-1])), (bags, length, t.shape[-1]))
    return _summed_by_row(call, matrix, rows, _padding(call, 11))


def _of_each_row(indices: ir.Value, offsets: ir.Value, gradient: ir.Value) -> ir.Value:
    """Return the gradient of the bag of each index, by offsets."""
    count, bags = read_type(indices.type).size, read_type(gradient.type).shape[0]
    starts = reshape_to(slice_along(offsets, 0, 0, bags), (1, bags))
    t = TensorType((count, 1), read_type(offsets.type).dtype)
    places = ttir.arange(result=t, arange_dimension=0, start=0, end=count, step=1)
    begun = cast(compare("ge", places, starts), read_type(gradient.type).dtype)
    after = pad_around(slice_along(begun, 1, 1, bags), [0, 1], 0.0) if bags > 1 else None
    inside = begun if after is None else ttir.subtract(begun, after)
    return ttir.matmul(inside, gradient)


def _padding(call: TorchOp, i: int) -> int:
    return -1 if call.is_none(i) else call.integer(i)


def _bag_a_row(indices: ir.Value, offsets: ir.Value) -> ir.Value | None:
    """Return the matrix whose rows are the bags, if PyTorch flattened one."""
    flat, steps = defining_op(indices, "ttir.reshape"), defining_op(offsets, "ttir.arange")
    if flat is None or steps is None:
        return None
    matrix = flat.operands[0]
    shape, counts = matrix.type.shape, definition_of(steps).attributes()
    whole = len(shape) == 2 and offsets.type.shape == shape[:1] and len(indices.type.shape) == 1
    return matrix if whole and (counts["start"], counts["step"]) == (0, shape[1]) else None
