"""Memory reuse among buffers of a function that are not live at the same time."""

from collections.abc import Sequence
from math import prod

from ttstack.buffers.lifetimes import Lifetime
from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, defined_functions

_ALIGNMENT = 64
_GIVES_ADDRESS = frozenset(("memref.extract_aligned_pointer_as_index",))
"""Ops that make a buffer live until the end."""


class ShareBuffers(Pass, name="share-buffers"):
    """Reuse the memory of allocations of static size whose lifetimes do not overlap.

    New memory costs page faults and cache misses. Values that are live at the same time stay in different allocations,
    so that LLVM can prove that they do not overlap, and vectorizes loops over them.
    """

    def run(self, module: ir.Module) -> None:
        """Replace the allocations in the functions' own blocks that are freed there."""
        for function in defined_functions(module):
            ops = body(function)
            for place in _places(_lives(ops)):
                _share(ops, place)


def _lives(ops: Sequence[ir.Operation]) -> dict[ir.Value, Lifetime]:
    """Return the first and last op that uses each allocation or a view of it."""
    freed = {op.operands[0] for op in ops if op.name == "memref.dealloc"}
    uses: dict[ir.Value, list[int]] = {}
    within: dict[ir.Value, set[ir.Value]] = {}
    for at, op in enumerate(ops):
        if op.name == "memref.alloc" and op.results[0] in freed and ir.MemRefType(op.results[0].type).has_static_shape:
            within[op.results[0]] = {op.results[0]}
        elif op.name != "memref.dealloc":
            used = {buffer for value in _read(op) for buffer in within.get(value, ())}
            for buffer in used:
                uses.setdefault(buffer, []).append(len(ops) if op.name in _GIVES_ADDRESS else at)
            within |= {result: used for result in op.results if used and isinstance(result.type, ir.MemRefType)}
    return {buffer: Lifetime(found[0], found[-1]) for buffer, found in uses.items()}


def _read(op: ir.Operation) -> list[ir.Value]:
    """Return the operands of an op and of its nested ops."""
    found: list[ir.Value] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.extend(inner.operands)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


def _places(lives: dict[ir.Value, Lifetime]) -> list[list[ir.Value]]:
    """Return groups of buffers that are never live together, largest first; each group has one allocation."""
    found: list[list[ir.Value]] = []
    for buffer in sorted(lives, key=lambda b: (-_nbytes(b), lives[b].first)):
        life = lives[buffer]
        for place in found:
            if all(lives[b].last < life.first or life.last < lives[b].first for b in place):
                place.append(buffer)
                break
        else:
            found.append([buffer])
    return found


def _share(ops: Sequence[ir.Operation], place: Sequence[ir.Value]) -> None:
    """Replace these buffers by views of one allocation, which lives until the function returns."""
    from ttstack.mlir import arith, memref

    if len(place) == 1:
        return
    plain, where = ir.IntegerType.get_signless(8), ops[0].location
    with ir.InsertionPoint(ops[0]), where:
        whole = memref.alloc(ir.MemRefType.get([_nbytes(place[0])], plain), [], [], alignment=_ALIGNMENT)
        start = arith.constant(ir.IndexType.get(), 0)
    with ir.InsertionPoint(ops[-1]), where:
        memref.dealloc(whole)
    for buffer in place:
        made = ir.OpResult(buffer).owner
        with insert_before(made):
            view = memref.view(buffer.type, whole, start, [])
        for use in list(buffer.uses):
            if use.owner.operation.name == "memref.dealloc":
                use.owner.operation.erase()
        buffer.replace_all_uses_with(view)
        made.operation.erase()


def _nbytes(buffer: ir.Value) -> int:
    """Return the size of an allocation in bytes; a bool takes one byte."""
    kind = ir.MemRefType(buffer.type)
    return prod(kind.shape) * max(1, kind.element_type.width // 8)  # pyright: ignore[reportAttributeAccessIssue]
