"""Reshapes, permutations and concatenations. Shapes come from result types; -1 and defaults are not read."""

from ttstack.dialects.ttir.build import (
    broadcast_to,
    cast,
    concat_along,
    diagonal,
    permute_dims,
    reshape_to,
    with_leading_ones,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.boundary import list_of
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.shapes import axis

CONVERSIONS = TorchConversionTable()

_RESHAPES = """view view_as reshape reshape_as _reshape_alias _unsafe_view flatten.using_ints unflatten.int ravel
    squeeze squeeze.dims"""
_SAME = "contiguous clone detach alias lift_fresh_copy positive"


@CONVERSIONS(*_RESHAPES.split(), to="reshape")
def _reshape(call: TorchOp) -> ir.Value:
    """Reshape to the result's shape, if it differs."""
    return reshape_to(call.tensor(0), call.result.shape)


@CONVERSIONS(*_SAME.split())
def _same(call: TorchOp) -> ir.Value:
    """Return the operand, as values have no memory."""
    return call.tensor(0)


@CONVERSIONS("unsqueeze", to="unsqueeze")
def _unsqueeze(call: TorchOp) -> ir.Value:
    """Insert a unit dimension."""
    return ttir.unsqueeze(call.tensor(0), dim=call.integer(1))


@CONVERSIONS("squeeze.dim", to="squeeze")
def _squeeze(call: TorchOp) -> ir.Value:
    """Drop a unit dimension; return the operand for other extents."""
    x = call.tensor(0)
    return x if read_type(x.type) == call.result else ttir.squeeze(x, dim=call.integer(1))


@CONVERSIONS("transpose.int", "swapaxes", "swapdims", to="transpose")
def _transpose(call: TorchOp) -> ir.Value:
    """Swap two dimensions."""
    x, rank = call.tensor(0), call.result.rank
    a, b = (axis(call.integer(i), rank) for i in (1, 2))
    return x if a == b else ttir.transpose(x, dim0=a, dim1=b)


@CONVERSIONS("mT", to="transpose")
def _matrix_transpose(call: TorchOp) -> ir.Value:
    """Swap the last two dimensions."""
    return ttir.transpose(call.tensor(0), dim0=-2, dim1=-1)


@CONVERSIONS("t", "numpy_T", to="permute")
def _reverse(call: TorchOp) -> ir.Value:
    """Reverse the order of dimensions."""
    return permute_dims(call.tensor(0), tuple(reversed(range(call.result.rank))))


@CONVERSIONS("permute", to="permute")
def _permute(call: TorchOp) -> ir.Value:
    """Permute dimensions."""
    return permute_dims(call.tensor(0), tuple(axis(d, call.result.rank) for d in call.integers(1)))


@CONVERSIONS("movedim.int", "moveaxis.int", "movedim.intlist", "moveaxis.intlist", to="permute")
def _movedim(call: TorchOp) -> ir.Value:
    """Move dimensions."""
    read = call.integers if call.name.endswith("intlist") else lambda i: (call.integer(i),)
    sources, targets = (tuple(axis(d, call.result.rank) for d in read(i)) for i in (1, 2))
    order = [d for d in range(call.result.rank) if d not in sources]
    for target, source in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source)
    return permute_dims(call.tensor(0), order)


@CONVERSIONS("diagonal", to="permute reshape slice_static")
def _diagonal(call: TorchOp) -> ir.Value:
    """Return a diagonal."""
    return diagonal(call.tensor(0), *(call.integer(i) for i in (1, 2, 3)))


@CONVERSIONS("expand", "expand_as", "broadcast_to", to="broadcast reshape")
def _expand(call: TorchOp) -> ir.Value:
    """Repeat unit dimensions, and new leading ones."""
    return broadcast_to(call.tensor(0), call.result.shape)


@CONVERSIONS("repeat", "tile", to="repeat reshape")
def _repeat(call: TorchOp) -> ir.Value:
    """Repeat the tensor."""
    counts, rank = call.integers(1), call.result.rank
    x = with_leading_ones(call.tensor(0), rank)
    counts = (1,) * (rank - len(counts)) + counts
    return x if set(counts) <= {1} else ttir.repeat(x, repeat_dimensions=counts)


@CONVERSIONS("repeat_interleave.self_int", to="broadcast reshape")
def _repeat_interleave(call: TorchOp) -> ir.Value:
    """Repeat each slice in place."""
    x, count = call.tensor(0), call.integer(1)
    shape = read_type(x.type).shape
    if call.is_none(2):
        shape, dim = (read_type(x.type).size,), 0
    else:
        dim = axis(call.integer(2), len(shape))
    apart = reshape_to(x, (*shape[: dim + 1], 1, *shape[dim + 1 :]))
    return reshape_to(broadcast_to(apart, (*shape[: dim + 1], count, *shape[dim + 1 :])), call.result.shape)


@CONVERSIONS("flip", to="reverse")
def _flip(call: TorchOp) -> ir.Value:
    """Reverse elements."""
    return ttir.reverse(call.tensor(0), dimensions=tuple(axis(d, call.result.rank) for d in call.integers(1)))


@CONVERSIONS("cat", to="concat")
def _cat(call: TorchOp) -> ir.Value:
    """Concatenate; tensors of shape [0] are ignored."""
    parts = [x for x in call.tensors(0) if read_type(x.type).shape != (0,)]
    return concat_along([cast(x, call.result.dtype) for x in parts], axis(call.integer(1), call.result.rank))


@CONVERSIONS("stack", to="concat reshape")
def _stack(call: TorchOp) -> ir.Value:
    """Concatenate along the dimension after the new one; a new last dimension is concatenated from columns."""
    dim, parts = axis(call.integer(1), call.result.rank), [cast(x, call.result.dtype) for x in call.tensors(0)]
    if dim == call.result.rank - 1:
        parts = [reshape_to(x, (*call.result.shape[:-1], 1)) for x in parts]
    return reshape_to(concat_along(parts, dim), call.result.shape)


@CONVERSIONS("meshgrid.indexing", to="broadcast reshape")
def _meshgrid(call: TorchOp) -> ir.Value:
    """Place each line along its own dimension, and repeat it along the others."""
    lines = call.tensors(0)
    order = list(range(len(lines)))
    if call.text(1) == "xy":
        order[:2] = reversed(order[:2])
    extents = [read_type(lines[i].type).size for i in order]
    grids = [reshape_to(x, _alone(read_type(x.type).size, order.index(i), len(lines))) for i, x in enumerate(lines)]
    return list_of([broadcast_to(x, tuple(extents)) for x in grids], call.op.results[0].type)


def _alone(extent: int, dim: int, rank: int) -> tuple[int, ...]:
    return (1,) * dim + (extent,) + (1,) * (rank - 1 - dim)
