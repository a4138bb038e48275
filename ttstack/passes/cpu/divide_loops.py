"""Distributes loops over threads."""

from collections.abc import Callable
from math import prod

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name

_FEWEST_STEPS = 1 << 15
"""Minimum number of elements for several threads; waking them takes as long as ten thousand elements."""


class DivideLoops(Pass, name="divide-loops"):
    """Divide the outer dimension of large `scf.parallel` loops over threads; make all other loops `scf.for`.

    Extents that are not constants count as one step.
    """

    def run(self, module: ir.Module) -> None:
        """Replace every `scf.parallel` from linalg; matmuls of a library are already divided."""
        for op in ops_of_name(module, "scf.parallel"):
            if not any(inner.name == "func.call" for inner in op.regions[0].blocks[0].operations):
                _divide(op)


def _divide(op: ir.Operation) -> None:
    """Replace an op by loops, of which threads share at most the outermost."""
    from ttstack.mlir import scf

    body = op.regions[0].blocks[0]
    rank = len(body.arguments)
    bounds = [tuple(op.operands[i * rank + d] for i in range(3)) for d in range(rank)]
    extents = [_extent(low, high) for low, high, _ in bounds]
    large = prod(extents) * _steps_within(op) >= _FEWEST_STEPS
    shared = next((d for d, n in enumerate(extents) if n > 1), None) if large else None
    place = ir.InsertionPoint(op)
    with op.location:
        for d in sorted(range(rank), key=lambda d: d != shared):
            low, high, step = bounds[d]
            with place:
                if d == shared:
                    block = _parallel(low, high, step)
                else:
                    block = scf.ForOp(low, high, step).body
                    with ir.InsertionPoint(block):
                        scf.YieldOp([])
            body.arguments[d].replace_all_uses_with(block.arguments[0])
            place = ir.InsertionPoint.at_block_terminator(block)
        for inner in list(body.operations)[:-1]:
            inner.operation.detach_from_parent()
            place.insert(inner)
    op.erase()


def _parallel(low: ir.Value, high: ir.Value, step: ir.Value) -> ir.Block:
    """Create a loop that threads share, and return its body, whose argument is the index."""
    from ttstack.mlir import scf

    loop = scf.ParallelOp([], [low], [high], [step], [])
    block = loop.regions[0].blocks.append(ir.IndexType.get())
    with ir.InsertionPoint(block):
        scf.ReduceOp([], 0)
    return block


def in_parallel(count: int, body: Callable[[ir.Value], object]) -> None:
    """Create a loop of `count` steps that threads share; the body is called with the index."""
    block = _parallel(index(0), index(count), index(1))
    with ir.InsertionPoint.at_block_terminator(block):
        body(block.arguments[0])


def in_turn(count: int, body: Callable[[ir.Value], object]) -> None:
    """Create a loop of `count` steps on one thread; the body is called with the index."""
    from ttstack.mlir import scf

    loop = scf.ForOp(index(0), index(count), index(1))
    with ir.InsertionPoint(loop.body):
        body(loop.induction_variable)
        scf.YieldOp([])


def index(number: int) -> ir.Value:
    """Return an index constant."""
    from ttstack.mlir import arith

    return arith.constant(ir.IndexType.get(), number)


def _steps_within(op: ir.Operation) -> int:
    """Return the number of innermost loop steps in one step of this op."""
    steps = [
        (_extent(inner.operands[0], inner.operands[1]) if inner.name == "scf.for" else 1) * _steps_within(inner)
        for inner in (view.operation for region in op.regions for block in region.blocks for view in block.operations)
    ]
    return max(steps, default=1)


def _extent(low: ir.Value, high: ir.Value) -> int:
    """Return the difference of two constants; 1 if one is not constant."""
    known = [_constant(value) for value in (low, high)]
    return 1 if None in known else known[1] - known[0]  # pyright: ignore[reportOperatorIssue]


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return ir.IntegerAttr(owner.attributes["value"]).value
