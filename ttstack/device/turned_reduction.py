"""Reductions over a leading dimension that the library puts in the place of rows first, and back after it.

`ttnn` 0.81.1, seen on a mock device: what the kernels of such a call leave each other lies in the memory that its
result is asked for in, where a short dimension fills up to 32 rows of tiles.
"""

from dataclasses import replace
from itertools import pairwise

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.kernel_buffers.reduction import KINDS, ReductionStage, kept_shape, stages
from ttstack.device.kernel_buffers.tiles import matrix
from ttstack.device.kernel_class import reduced_along
from ttstack.device.layout import Grid
from ttstack.ops.base import OPS, Op
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import DType, TensorType


def turned_kernels(device_op: DeviceOp, device: Grid) -> tuple[DeviceOp, ...]:
    """The kernels of such a call, one after the other; none of any other op."""
    found = reduced_along(device_op.op)
    if found is None or not device_op.op.operands[0].size or not all(layout.tiled for layout in device_op.layouts()):
        return ()
    name, given, dims = found
    if (kind := KINDS.get(name)) is None:
        return ()
    steps = list(stages(kind, given.shape, dims, device_op.operands[0].dtype))
    if not any(stage.turned for stage in steps):
        return ()
    kernels, last = list[DeviceOp](), device_op.op.results[0]
    for stage in steps:
        for op, dtype in _ops(stage, given):
            _add(kernels, device_op, device, op, dtype)
    kept = kept_shape(given.shape, dims)
    if matrix(kept) != matrix(last.shape):
        reshape = Reshape(input=given.with_shape(kept), shape=last.shape)
        _add(kernels, device_op, device, reshape, device_op.operands[0].dtype)
    kernels[-1] = replace(kernels[-1], results=device_op.results)
    return tuple(kernels)


def _ops(stage: ReductionStage, t: TensorType) -> list[tuple[Op, DType]]:
    """Each kernel of one dimension, and the format of what it gives."""
    given = t.with_shape(stage.shape)
    if not stage.turned:
        return [(_reduced(stage.kind, given, stage.dim), stage.made)]
    turned = Permute(input=given, permutation=stage.order)
    reduced = _reduced(stage.kind, turned.results[0], given.rank - 2)
    back = Permute(input=reduced.results[0], permutation=stage.order)
    return [(turned, stage.given), (reduced, stage.made), (back, stage.made)]


def _reduced(kind: str, t: TensorType, dim: int) -> Op:
    return OPS[kind].on([t], {"dim_arg": (dim,), "keep_dim": True})


def _add(kernels: list[DeviceOp], whole: DeviceOp, device: Grid, op: Op, dtype: DType) -> None:
    """A kernel after those that are there, whose result lies where that of the call will."""
    given = kernels[-1].results if kernels else whole.operands
    made = replace(whole.results[0].interleave(whole.results[0].memory_space), dtype=dtype)
    kernels.append(replace(whole, op=op, operands=given, results=(made,), grid=device, spread=Spread.FLAT, config=None))


def turned_bytes(device_op: DeviceOp, device: Grid) -> int:
    """Bytes of L1 on a core that kernels of such a call leave each other, the most at a time."""
    kernels = turned_kernels(device_op, device)
    held = [0, *(_bank_bytes(kernel, device) for kernel in kernels[:-1]), 0]
    return max(map(sum, pairwise(held)), default=0)


def _bank_bytes(kernel: DeviceOp, device: Grid) -> int:
    """Bytes on a core of what a kernel gives; of tiles in blocks as the plain numbers that they change place as."""
    (layout,), (t,) = kernel.results, kernel.op.results
    plain = replace(layout, dtype=DType.BF16) if layout.dtype.is_block else layout
    return plain.bank_bytes(t, device.cores) if plain.in_l1 else 0
