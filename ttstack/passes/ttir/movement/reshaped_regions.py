"""Regions of connected ops that run in another shape, if that is faster with all reshapes."""

from collections.abc import Callable, Iterator, Sequence

from ttstack.dialects.base import create, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to, splat
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.moving import reshape_ns
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import moves_unit_dims
from ttstack.passes.ttir.queries.producers import scalar
from ttstack.passes.ttir.queries.reshaped_op import ReshapedOp

Region = dict[ir.Operation, ReshapedOp]
"""Connected ops, in program order."""


def find_regions(ops: Sequence[ir.Operation], reshaped: Callable[[ir.Operation], ReshapedOp | None]) -> list[Region]:
    """Group ops that are connected by their values."""
    groups: dict[ir.Value, Region] = {}
    for op in ops:
        if (other := reshaped(op)) is None:
            continue
        region: Region = {op: other}
        for i, value in enumerate(op.operands):
            if other.has_rows(i) and value in groups and groups[value] is not region:
                region = {**groups[value], **region}
        groups |= {o.results[0]: region for o in region}
    unique = {id(region): region for region in groups.values()}
    order = {op: i for i, op in enumerate(ops)}
    return [dict(sorted(region.items(), key=lambda item: order[item[0]])) for region in unique.values()]


def saved_ns(region: Region, prices: Prices) -> float:
    """Return the nanoseconds that a region is predicted to save, with the reshapes at its borders."""
    ops = sum(prices.latency_of(other.op) - prices.latency_of(other.folded) for other in region.values())
    return ops - sum(_arrivals(region, prices)) - sum(_departures(region, prices))


def _arrivals(region: Region, prices: Prices) -> Iterator[float]:
    """Yield the predicted nanoseconds of reshaping each value from outside."""
    inside = {op.results[0] for op in region}
    reads = ((op, other, i) for op, other in region.items() for i in range(len(op.operands)) if other.has_rows(i))
    for value, matrix in {op.operands[i]: other.matrix(i) for op, other, i in reads}.items():
        if value in inside or is_known(value):
            continue
        maker = pure_producer(value)
        if maker is not None and maker.name == "ttir.embedding" and matrix[-1:] == read_type(value.type).shape[-1:]:
            continue
        view = maker if maker is not None and _is_reshape(maker) else None
        yield reshape_ns(read_type(value.type if view is None else view.operands[0].type), matrix, prices)
        if view is not None and all(use.owner.operation in region for use in value.uses):
            yield -_view_ns(view, prices)


def _departures(region: Region, prices: Prices) -> Iterator[float]:
    """Yield the predicted nanoseconds of restoring the shapes of values used outside."""
    for op, other in region.items():
        users = [use.owner.operation for use in op.results[0].uses]
        outside = [user for user in users if user not in region]
        if not all(map(_is_reshape, outside)):
            yield reshape_ns(other.folded.results[0], other.op.results[0].shape, prices)
        for user in outside:
            if _is_reshape(user):
                target = read_type(user.results[0].type).shape
                yield reshape_ns(other.folded.results[0], target, prices) - _view_ns(user, prices)


def _is_reshape(op: ir.Operation) -> bool:
    return op.name in VIEWS or moves_unit_dims(op)


def _view_ns(op: ir.Operation, prices: Prices) -> float:
    return reshape_ns(read_type(op.operands[0].type), read_type(op.results[0].type).shape, prices)


def _in_shape(value: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Return a value in another shape; constants of one number stay constants."""
    number, t = scalar(value), read_type(value.type)
    return reshape_to(value, shape) if number is None else splat(number, t.with_shape(shape))


def fold_region(region: Region) -> None:
    """Replace the ops of a region, with reshapes at its borders."""
    known: dict[tuple[ir.Value, tuple[int, ...]], ir.Value] = {}
    for op, other in region.items():
        with insert_before(op):
            for i, value in enumerate(op.operands):
                key = value, other.matrix(i)
                known[key] = known.get(key) or _in_shape(*key)
            matrices = iter([known[value, other.matrix(i)] for i, value in enumerate(op.operands)])
            operands = [v and next(matrices) for v in operands_by_place(type(other.op), op)]
            folded = create("ttir", other.op.mnemonic, operands, other.attributes, results=other.folded.results)
            known[op.results[0], other.result] = folded.results[0]
    for op, other in region.items():
        if any(use.owner.operation not in region for use in op.results[0].uses):
            with insert_before(op):
                back = reshape_to(known[op.results[0], other.result], other.op.results[0].shape)
            op.results[0].replace_all_uses_with(back)
    for op in reversed(region):
        op.erase()
