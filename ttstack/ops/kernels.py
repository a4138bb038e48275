"""The work of device kernels that do not follow a loop nest step by step, derived from the nest."""

from collections.abc import Sequence

from ttstack.ops.flash import is_flash, kernel_passes
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import movement
from ttstack.ops.loops import TileWork
from ttstack.ops.tile_ops import tile_op
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

CENTRED = (("reduce_sum", 2), ("subtract", 1), ("multiply", 3), ("add", 1))
"""Tile ops of a normalization to mean 0 and variance 1; weight and bias count even if absent."""

SCALED = (("reduce_sum", 1), ("multiply", 3))
"""Tile ops of a normalization that keeps the mean."""


def kernel_of(nest: LoopNest, operands: Sequence[TensorType], results: Sequence[TensorType]) -> WorkEstimate | None:
    """Return the work of the kernel of a nest; None if the kernel follows the nest."""
    if nest.moves_only and nest.index_bound is None:
        return movement(operands, results)
    if is_flash(nest):
        return kernel_passes(nest, results[0])
    return _passes(nest) if nest.keeps_rows else None


def added_operand(nest: LoopNest) -> int | None:
    """Return the operand that a normalization adds to its input first; None if there is none."""
    first, *rest = nest.body
    if first.name != "add" or not nest.keeps_rows or not any(op.name == "rsqrt" for op in rest):
        return None
    if max(first.args) >= len(nest.inputs) or not set(first.args).isdisjoint(a for op in rest for a in op.args):
        return None
    x, residual = first.args
    alike = x == 0 != residual and nest.inputs[x] == nest.inputs[residual]
    return residual if alike else None


def mask_operand(nest: LoopNest) -> int | None:
    """Return the row operand that a softmax adds to all rows of a sample first; None if there is none."""
    first = nest.body[0]
    if first.name != "add" or not nest.keeps_rows or not any(op.name == "exp_approx" for op in nest.body):
        return None
    if first.args != (0, 1) or len(nest.inputs) != len(first.args):
        return None
    _, *between, _ = nest.inputs[1].loops  # heads and rows
    return 1 if between == [None, None] else None


def _passes(nest: LoopNest) -> WorkEstimate:
    """Estimate passes over rows that stay in a core.

    Per-row work is part of a pass, and each pass reads tiles from L1.
    """
    rows = set(nest.reductions)
    whole = [op.name for op, loops in zip(nest.body, nest.tile_loops, strict=True) if loops >= rows]
    if any(op.name == "rsqrt" for op in nest.body):
        work = CENTRED if sum(tile_op(name).reduces for name in whole) > 1 else SCALED
    else:  # rows that a mask is added to are multiplied first, by 1 where there is no scale
        scale = () if mask_operand(nest) is None else (("multiply", 1),)
        work = (*scale, *((name, 1) for name in whole))
    body = [TileWork(name, (0,), count) for name, count in work]
    if (residual := added_operand(nest)) is not None:
        body.insert(0, TileWork("add", (0, residual)))
    return WorkEstimate(nest.domain, nest.iterators, nest.inputs, nest.outputs, tuple(body))
