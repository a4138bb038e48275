"""Folding of factors and summands of a matmul's columns into weights and biases: batch norms, layer scales."""

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import Part
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.projected_columns import can_grow
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES, is_known
from ttstack.passes.ttir.queries.movement_chain import before_moves, compose, move_alike
from ttstack.passes.ttir.queries.producers import is_shared

_Matmul = views.Matmul | views.Linear


@rewrite(
    "fold-affine-into-weights",
    stage=Stage.WEIGHTS,
    before={"split-sliced-matmul": "slices then follow the matmul directly"},
)
def fold_affine_into_weights(op: views.Multiply | views.Add | views.Subtract) -> ir.Value | Declined | None:
    """`matmul(x, w) * c + b` = `linear(x, w * c, b)`, if `c` and `b` are constants with a number for each column.

    This folds batch norms after linear layers and learned layer scales into weights, computed by `fold-parameters`.
    Moves between the two must not change columns.
    """
    orders = [(op.lhs, op.rhs)] if isinstance(op, views.Subtract) else op.either_order
    for value, row in orders:
        source, moves = before_moves(value)
        matmul = views.Matmul.of(source) or views.Linear.of(source)
        if matmul is None or read_type(value.type) != op.result_type or not op.result_type.dtype.is_float:
            continue
        columns = matmul.described.mnk[1]
        kept = (Part(matmul.result_type.rank - 1, 1, columns),)
        moved = compose(moves) if moves else None
        if columns == 1 or (moves and (moved is None or moved.dims[-1:] != (kept,))):
            continue
        if read_type(row.type).size != columns or read_type(row.type).shape[-1] != columns or not is_known(row):
            continue
        return _fold(op, matmul, reshape_to(row, (columns,)), moves)
    return None


def _fold(
    op: views.Multiply | views.Add | views.Subtract, matmul: _Matmul, row: ir.Value, moves: list[ir.Operation]
) -> ir.Value | Declined | None:
    a, weight, *bias = matmul.operation.operands
    described = matmul.described
    if any(is_shared(v) for v in (matmul.first_result, *(move.results[0] for move in moves))):
        return Declined("the matmul has other uses")
    if described.activation or not can_grow(matmul):
        return None
    bias = [reshape_to(v, (described.mnk[1],)) for v in bias]
    if isinstance(op, views.Multiply):
        if is_shared(weight):
            return Declined("the weights have other uses")
        if described.b.nbytes > MOST_FOLDED_BYTES:
            return Declined("the weights are too large to be multiplied at compile time")
        weight = ttir.multiply(weight, reshape_to(row, (described.mnk[1], 1)) if described.transpose_b else row)
        bias = [ttir.multiply(v, row) for v in bias]
    else:
        row = ttir.neg(row) if isinstance(op, views.Subtract) else row
        bias = [ttir.add(v, row) for v in bias] or [row]
    mnemonic = "linear" if bias else described.mnemonic
    return move_alike(ttir.build(mnemonic, a, weight, *bias, **matmul.attributes), moves)
