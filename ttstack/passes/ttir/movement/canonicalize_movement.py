"""Canonicalization of consecutive reshapes and permutations, and of lookups at consecutive rows."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import create, definition_of
from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import permute_dims, reshape_to, slice_as
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseUnary
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.movement import Permutation
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import MOVES, PERMUTATIONS, build_chain, spellings, ways
from ttstack.passes.ttir.queries.producers import find_producer

FUNCTIONS = tuple(f"ttir.{name}" for name, spec in OPS.items() if issubclass(spec, EltwiseUnary))
"""Unary elementwise ops."""


class CanonicalizeMovement(
    Pass,
    name="canonicalize-movement",
    optional=True,
    stage=(Stage.MOVEMENT, Stage.PARALLEL),
    before={
        "reshape-by-head-ops": "consecutive moves are one reshape afterwards",
        "merge-parallel-matmuls": "merged moves expose matmuls of one operand",
    },
):
    """Merge chains of reshapes and permutations; turn lookups at consecutive constant indices into slices.

    The alternative with the least predicted time is used if the module has a device; for example, a unary op moves
    before a reshape or permutation if that is faster.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        self.apply(module, Prices.of(module))

    def apply(self, module: ir.Module, prices: Prices | None) -> None:
        """Rewrite by the prices of a device, or by the number of ops."""
        rules = [("ttir.embedding", _lookup), *((name, partial(_movement, prices=prices)) for name in MOVES)]
        if prices is not None:
            rules += [(name, partial(_before_move, prices=prices)) for name in FUNCTIONS]
            rules += [(name, partial(_before_cast, prices=prices)) for name in MOVES]
            rules.append(("ttir.slice_static", partial(_cut_first, prices=prices)))
        apply_patterns(module, rules)


def _movement(op: ir.Operation, prices: Prices | None) -> list[ir.Value] | None:
    """Replace moves that keep the order by a view, other moves by a cheaper chain, and merge views."""
    shape = read_type(op.results[0].type).shape
    for steps, moved in ways(op.results[0]):
        source = steps[0].operands[0]
        if moved.keeps_order:
            if (new := _reshaped(steps, shape, prices)) is None:
                continue
            return [new]
        if any(len(list(step.results[0].uses)) > 1 for step in steps[:-1]):
            continue
        t = read_type(source.type)
        candidates = [*spellings(t, moved)]
        if (turn := _from_row(t.with_shape(shape))) is not None:
            candidates += [(*ops, turn) for ops in spellings(t, moved.permute(turn.permutation))]
        cheapest = min(candidates, key=partial(_burden, prices=prices))
        if _burden(cheapest, prices) < _burden([definition_of(step) for step in steps], prices):
            return [build_chain(source, cheapest)]
    return None


def _reshaped(steps: Sequence[ir.Operation], shape: tuple[int, ...], prices: Prices | None) -> ir.Value | None:
    """Replace a chain by one reshape, or by a transposed row; None if that takes longer.

    Constants are always reshaped, as that happens at compile time.
    """
    source = steps[0].operands[0]
    shared = max((i for i, step in enumerate(steps[:-1], 1) if len(list(step.results[0].uses)) > 1), default=0)
    now, direct = _ns(map(definition_of, steps[shared:]), prices), Reshape(input=read_type(source.type), shape=shape)
    if read_type(source.type).shape == shape or (len(steps) > 1 and _ns([direct], prices) <= now):
        return reshape_to(source, shape)
    turn = _from_row(direct.results[0])
    if turn is None or is_known(source):  # asked last: it looks at all that makes the value
        return None
    row = Reshape(input=direct.input, shape=turn.input.shape)
    if _ns([row, turn], prices) < min(now, _ns([direct], prices)):
        return permute_dims(reshape_to(source, row.shape), turn.permutation)
    return None


def _from_row(column: TensorType) -> Permute | None:
    """Return the permutation from a row to a column of as many elements; None if the type is not a column."""
    rank = column.rank
    if rank < 2 or column.shape[-1] != 1 or column.shape[-2] == 1:
        return None
    row = column.with_shape((*column.shape[:-2], 1, column.shape[-2]))
    return Permute(input=row, permutation=(*range(rank - 2), rank - 1, rank - 2))


def _ns(ops: Iterable[Op], prices: Prices | None) -> float:
    return 0 if prices is None else prices.sum_of(ops)


def _before_move(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    """Move a unary op before a move, if that is faster.

    If both are equally fast, it goes before a permutation, which may then cancel or reach a convolution.
    """
    move = pure_producer(op.operands[0])
    if move is None or move.name not in MOVES or len(list(op.operands[0].uses)) > 1:
        return None
    function, moved = definition_of(op), definition_of(move)
    (source,) = moved.operands
    first = type(function).on([source], function.attributes(), function.results[0].with_shape(source.shape))
    then = type(moved).on([first.results[0]], moved.attributes())
    again = any(use.owner.operation.name in MOVES for use in op.results[0].uses) or pure_producer(
        move.operands[0], "ttir.conv1d"
    )
    before, now = _moving_cost(then, first, prices), _moving_cost(moved, function, prices)
    if before > now or (before == now and not (again and move.name in PERMUTATIONS)):
        return None
    eltwise = create("ttir", first.mnemonic, [move.operands[0]], first.attributes(), results=first.results)
    return [create("ttir", then.mnemonic, [eltwise.results[0]], then.attributes()).results[0]]


def _before_cast(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    """Move a move before a cast, next to other moves, if that is faster."""
    cast = find_producer(op.operands[0], "typecast")
    if cast is None or pure_producer(cast.operands[0], *MOVES) is None or len(list(op.operands[0].uses)) > 1:
        return None
    move, t = definition_of(op), read_type(cast.operands[0].type)
    first = type(move).on([t], move.attributes())
    then = type(definition_of(cast)).on(first.results, {}, move.results[0])
    if _moving_cost(first, then, prices) >= _moving_cost(move, definition_of(cast), prices):
        return None
    moved = create("ttir", first.mnemonic, [cast.operands[0]], first.attributes()).results[0]
    return [ttir.typecast(moved, result=move.results[0])]


def _moving_cost(move: Op, function: Op, prices: Prices) -> tuple[float, int]:
    """Return the predicted time of a move and a unary op, then the moved bytes in the model's types."""
    return prices.sum_of([move, function]), move.results[0].nbytes


def _cut_first(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    """Slice before a permutation unless that is slower; later rewrites then see the permutation."""
    move = pure_producer(op.operands[0], *PERMUTATIONS)
    if move is None or len(list(op.operands[0].uses)) > 1:
        return None
    cut, moved, source = definition_of(op), definition_of(move), move.operands[0]
    assert isinstance(cut, SliceStatic)
    assert isinstance(moved, Permutation)
    positions = [moved.order.index(d) for d in range(len(moved.order))]
    begins, ends, step = (tuple(bounds[i] for i in positions) for bounds in (cut.begins, cut.ends, cut.step))
    first = SliceStatic(input=read_type(source.type), begins=begins, ends=ends, step=step)
    then = Permute(input=first.results[0], permutation=moved.order)
    if prices.sum_of([first, then]) > prices.sum_of([moved, cut]):
        return None
    return [permute_dims(slice_as(source, first), moved.order)]


def _burden(ops: Sequence[Op], prices: Prices | None) -> tuple[float, int, int]:
    """Return the sort key of ops: predicted time, or without a device the permutations; then moving ops, and all."""
    moving = [op for op in ops if not is_view(op)]
    across = sum(isinstance(op, Permutation) and op.nest is None for op in moving)
    return across if prices is None else prices.sum_of(moving), len(moving), len(ops)


def _lookup(op: ir.Operation) -> list[ir.Value] | None:
    index, table = op.operands
    if (producer := find_producer(index, "constant")) is None:
        return None
    rows = read_elements(producer.attributes["value"]).reshape(-1).astype(np.int64)
    count, width = read_type(table.type).size // read_type(table.type).shape[-1], read_type(table.type).shape[-1]
    if not rows.size or rows[0] < 0 or rows[-1] >= count or (np.diff(rows) != 1).any():
        return None
    matrix, (first, end) = reshape_to(table, (count, width)), (int(rows[0]), int(rows[-1]) + 1)
    if (first, end) != (0, count):
        matrix = ttir.slice_static(matrix, begins=(first, 0), ends=(end, width), step=(1, 1))
    return [reshape_to(matrix, read_type(op.results[0].type).shape)]
