"""Data movement: reshapes, slices, and gathers."""

import numpy as np

from ttstack.dialects.ttir.build import broadcast_to, concat_along, constant, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.shape import cut, pad_around
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = TosaConversionTable()


@CONVERSIONS("reshape", to="reshape")
def _reshape(call: TosaOp) -> ir.Value:
    """Reshape to the result's shape."""
    return reshape_to(call.tensor(0), call.result.shape)


@CONVERSIONS("transpose", to="permute")
def _transpose(call: TosaOp) -> ir.Value:
    """Use the same op."""
    return permute_dims(call.tensor(0), call.integers("perms"))


@CONVERSIONS("concat", to="concat")
def _concat(call: TosaOp) -> ir.Value:
    """Concatenate."""
    return concat_along([call.tensor(i) for i in range(len(call.operands))], call.integer("axis"))


@CONVERSIONS("pad", to="pad concat broadcast full")
def _pad(call: TosaOp) -> ir.Value:
    """Pad with a number."""
    sides = call.shape(1)
    return pad_around(call.tensor(0), reshape_to(call.tensor(2), ()), sides[::2], sides[1::2])


@CONVERSIONS("slice", to="slice_static")
def _slice(call: TosaOp) -> ir.Value:
    """Slice a block; an extent of -1 is the rest."""
    starts, shape = call.shape(1), call.result.shape
    return cut(call.tensor(0), starts, [begin + extent for begin, extent in zip(starts, shape, strict=True)])


@CONVERSIONS("tile", to="repeat")
def _tile(call: TosaOp) -> ir.Value:
    """Use the same op."""
    return ttir.repeat(call.tensor(0), repeat_dimensions=call.shape(1))


@CONVERSIONS("reverse", to="reverse")
def _reverse(call: TosaOp) -> ir.Value:
    """Use the same op."""
    return ttir.reverse(call.tensor(0), dimensions=(call.integer("axis"),))


@CONVERSIONS("gather", to="embedding add multiply reshape constant")
def _gather(call: TosaOp) -> ir.Value:
    """Look up rows of each batch in all batches concatenated."""
    x, index = call.tensor(0), call.tensor(1)
    batches, count, width = call.type(0).shape
    table = x if batches == 1 else reshape_to(x, (batches * count, width))
    return reshape_to(ttir.embedding(_in_all(index, batches, count), table), call.result.shape)


def _in_all(index: ir.Value, batches: int, count: int) -> ir.Value:
    """Convert positions in a batch to positions in all batches concatenated."""
    if batches == 1:
        return index
    t = TensorType((batches, 1), read_type(index.type).dtype)
    return ttir.add(index, constant(np.arange(batches)[:, None] * count, t))


@CONVERSIONS("scatter", to="scatter broadcast reshape")
def _scatter(call: TosaOp) -> ir.Value:
    """Overwrite rows of each batch."""
    index = call.tensor(1)
    batches, count = call.type(1).shape
    rows = broadcast_to(reshape_to(index, (batches, count, 1)), call.type(2).shape)
    return ttir.scatter(call.tensor(0), rows, call.tensor(2), dim=1)
