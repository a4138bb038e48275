"""Tensors interleaved along the last dimension, as a permutation of tensors one after the other."""

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import concat_along, permute_dims, reshape_to, slice_along
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.movement_chain import ways


@rewrite("interleave-by-permute", if_faster=True, stage=Stage.MOVEMENT)
def interleave_by_permute(op: views.Concat) -> ir.Value | None:
    """`concat(a[..., 1], b[..., 1])` = `permute(concat(a[1, ...], b[1, ...]))`: tiles are full until the permutation.

    Real and imaginary parts are interleaved this way: a tile of a column has one column of values, and 31 of padding.
    """
    t = op.result_type
    parts = op.operation.operands
    if t.rank <= 1 or axis(op.dim, t.rank) != t.rank - 1 or any(read_type(v.type).shape[-1] != 1 for v in parts):
        return None
    stacked = concat_along([reshape_to(_in_same_order(v), (1, *t.shape[:-1])) for v in parts], 0)
    return permute_dims(stacked, (*range(1, t.rank), 0))


@rewrite("slice-by-permute", if_faster=True, stage=Stage.MOVEMENT)
def slice_by_permute(op: views.Squeeze | views.Reshape) -> ir.Value | None:
    """`x[..., i]` = `permute(x)[i, ...]`, without tiles of one column; slices of one tensor share the permutation."""
    if (cut := views.SliceStatic.of(op.input)) is None:
        return None
    t, part, last = read_type(cut.input.type), cut.described, read_type(op.input.type).rank - 1
    if last < 1 or read_type(op.input.type).shape != (*t.shape[:-1], 1) or set(part.step[:last]) != {1}:
        return None
    begin = part.begins[-1]
    planes = permute_dims(cut.input, (last, *range(last)))
    return reshape_to(slice_along(planes, 0, begin, begin + 1), op.result_type.shape)


def _in_same_order(value: ir.Value) -> ir.Value:
    """Return the source of moves that keep the order of elements."""
    return next((steps[0].operands[0] for steps, moved in ways(value) if moved.keeps_order), value)
