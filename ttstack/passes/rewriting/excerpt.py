"""Excerpts of a module, on which a pattern is tested: an op and the ops that it depends on."""

from collections.abc import Iterable, Iterator

from ttstack.dialects.base import definition
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.op_groups import clone_ops, outside_operands
from ttstack.dialects.tt.system_desc import SYSTEM_DESC
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import func, ir

MOST_OPS = 64
"""Maximum number of ops of an excerpt; results of further ops become arguments."""


def excerpt(op: ir.Operation, module: ir.Module) -> ir.Module:
    """Return a module with a function `excerpt` that ends in an op, for the module's device.

    It also returns values with other uses, so that ops have as many uses as before.
    """
    inside = _leading_to(op)
    arguments = outside_operands(inside)
    given = [*op.results, *_read_elsewhere(inside, op)]
    part = ir.Module.create(op.location)
    if SYSTEM_DESC in module.operation.attributes:
        part.operation.attributes[SYSTEM_DESC] = module.operation.attributes[SYSTEM_DESC]
    with op.location, ir.InsertionPoint(part.body):
        function = func.FuncOp("excerpt", ([v.type for v in arguments], [v.type for v in given]))
        block = function.add_entry_block()
    now: dict[ir.Value, ir.Value] = dict(zip(arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        clone_ops(inside, now)
        with op.location:
            func.ReturnOp([now[v] for v in given])
    return part


def _leading_to(op: ir.Operation) -> list[ir.Operation]:
    """Return the op and the nearest pure ops that it depends on, up to a limit, in program order."""
    found, nearest = {op: None}, [op]
    for reader in nearest:
        for made in _makers(reader):
            if made not in found and len(found) < MOST_OPS:
                found[made] = None
                nearest.append(made)
    return [o.operation for o in op.block.operations if o.operation in found]


def _makers(op: ir.Operation) -> Iterator[ir.Operation]:
    for value in op.operands:
        made = defining_op(value)
        spec = None if made is None else definition(made)
        if made is not None and spec is not None and spec.pure and not any(map(is_overwritten, made.results)):
            yield made


def _read_elsewhere(inside: Iterable[ir.Operation], last: ir.Operation) -> list[ir.Value]:
    """Return results of all but the last op that outside ops use."""
    ops = set(inside)
    values = (v for op in ops - {last} for v in op.results)
    return [v for v in values if any(use.owner.operation not in ops for use in v.uses)]
