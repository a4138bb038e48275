"""Circular buffers of data movement ops of one or several kernels."""

from collections.abc import Sequence

from ttstack.device.circular_buffers.heads import join_bytes, lookup_bytes, split_all_bytes, split_bytes
from ttstack.device.circular_buffers.memory import cache_bytes, copy_bytes, layout_bytes
from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.pieces import (
    concat_bytes,
    interleaved_repeat_bytes,
    pad_bytes,
    repeat_bytes,
    slice_bytes,
)
from ttstack.device.circular_buffers.reduction import KINDS, product_bytes, reduction_bytes
from ttstack.device.circular_buffers.reshape import reshape_bytes
from ttstack.device.circular_buffers.row_moves import padded_rows, permuted_rows, repeated_rows, sliced_rows
from ttstack.device.circular_buffers.tiles import matrix, tilize, typecast
from ttstack.device.device_op import DeviceOp
from ttstack.ops.attention import ConcatenateHeads, SplitHeads, SplitQueryKeyValueAndSplitHeads
from ttstack.ops.base import Op
from ttstack.ops.creation import Full, Ones, Zeros
from ttstack.ops.embedding import Embedding, EmbeddingBag
from ttstack.ops.generic import Generic, ToLayout
from ttstack.ops.indexing import Index, IndexSelect, SliceStatic
from ttstack.ops.kv_cache import UpdateCache
from ttstack.ops.movement import Permutation
from ttstack.ops.pool import GlobalAvgPool2d
from ttstack.ops.reduction import Reduction
from ttstack.ops.shape import Broadcast, Concat, Order, Pad, Repeat, RepeatInterleave
from ttstack.ops.state import Assign, Clone
from ttstack.ops.tile_order import is_broadcast, tile_order
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc

_MATRIX = 2
"""Rank of the indices of a lookup."""


def movement_bytes(device_op: DeviceOp, chip: ChipDesc) -> int | None:
    """Return the bytes on each core of a data movement op or a reduction; None for other kernels."""
    cores = chip.num_cores
    if _stays(device_op):
        return 0
    tiled = device_op.operands and device_op.results and all(layout.tiled for layout in device_op.layouts())
    match device_op.op:
        case op if _is_made_by_host(op):
            nbytes = 0
        case ConcatenateHeads() if device_op.operands[0].sharded:
            nbytes = 0
        case Concat() as op if not tiled:
            nbytes = max(copy_bytes(t, source) for t, source in zip(op.operands, device_op.operands, strict=True))
        case ToLayout() as op:
            nbytes = layout_bytes(op.input, device_op.operands[0], device_op.results[0], cores)
        case Assign() | Clone() as op:
            nbytes = copy_bytes(op.input, device_op.operands[-1])
        case UpdateCache() as op if op.input.shape[2] == 1 or op.users != op.input.shape[0]:
            nbytes = cache_bytes(device_op, op)
        case EmbeddingBag() as op if device_op.results[0].tiled:
            nbytes = _looked_up(op, device_op.operands[0].dtype, chip)
        case op if _picks_rows(op) and device_op.results[0].tiled:
            nbytes = _rows(op.operands[0], op.results[0], device_op.operands[0].dtype, chip)
        case _:
            nbytes = _on_tiles(device_op, cores) if tiled else _on_rows(device_op, cores)
    return nbytes


def _stays(device_op: DeviceOp) -> bool:
    """Return True if nothing moves: a slice, padding, repeat or permutation without an effect, in place."""
    match device_op.op:
        case SliceStatic() | Pad() | Repeat() as op:
            same = op.input == op.results[0]
        case Permutation() as op:
            same = list(op.order) == list(range(op.input.rank))
        case _:
            same = False
    return same and device_op.operands[0] == device_op.results[0]


def _on_rows(device_op: DeviceOp, cores: int) -> int | None:
    """Return the bytes of a kernel that moves interleaved rows; None for any other."""
    if not device_op.operands or any(layout.tiled or layout.sharded for layout in device_op.layouts()):
        return None
    dtype = device_op.operands[0].dtype
    match device_op.op:
        case Order():
            nbytes = 0
        case Permutation() as op:
            nbytes = permuted_rows(op.input.shape, op.order, dtype)
        case SliceStatic() | Index() | IndexSelect() as op:
            begins, step = _bounds(op)
            nbytes = sliced_rows(op.input.shape, begins, op.results[0].shape, step, dtype, cores)
        case Pad() as op if min(op.padding, default=0) >= 0:
            nbytes = padded_rows(op.results[0].shape, dtype)
        case Repeat() as op:
            nbytes = repeated_rows(op.input.shape, op.repeat_dimensions, dtype)
        case Broadcast() as op:
            nbytes = repeated_rows(op.input.shape, _factors(op.input, op.results[0]), dtype)
        case _:
            nbytes = None
    return nbytes


def _is_made_by_host(op: Op) -> bool:
    """Return True if all elements of the result are one number."""
    filled = isinstance(op, Generic) and not op.operands and op.program.body[0].name == "fill"
    return filled or isinstance(op, Full | Zeros | Ones)


def _picks_rows(op: Op) -> bool:
    return op.picks_rows if isinstance(op, Generic) else isinstance(op, Embedding)


def _on_tiles(device_op: DeviceOp, cores: int) -> int | None:
    source, target = device_op.operands[0].dtype, device_op.results[0].dtype
    nbytes = _moved(device_op.op, source, cores)
    return nbytes if nbytes is None or source == target else max(nbytes, typecast(source, target))


def _moved(op: Op, dtype: DType, cores: int) -> int | None:
    """Return the bytes of an op's kernels on tiles of one format; None for other ops."""
    match op:
        case Generic():
            nbytes = _by_nest(op, dtype, cores)
        case Order():
            nbytes = reshape_bytes(op.input.shape, op.results[0].shape, dtype)
        case Permutation():
            nbytes = permutation_bytes(op.input.shape, op.order, dtype)
        case SplitHeads():
            nbytes = split_bytes(op, dtype)
        case SplitQueryKeyValueAndSplitHeads():
            nbytes = split_all_bytes(op.results[0].shape[-1], dtype, transposed=op.transpose_key)
        case ConcatenateHeads():
            nbytes = join_bytes(op, dtype)
        case GlobalAvgPool2d():
            nbytes = reduction_bytes("mean", op.input.shape, (1, 2), op.results[0].shape, dtype, cores)
        case Reduction() if op.tile_op in KINDS:
            nbytes = reduction_bytes(KINDS[op.tile_op], op.input.shape, op.dims, op.results[0].shape, dtype, cores)
        case Reduction() as op if op.mnemonic == "prod":
            nbytes = product_bytes(op.input.shape, op.dims, dtype)
        case _:
            nbytes = _in_pieces(op, dtype, cores)
    return nbytes


def _by_nest(op: Generic, dtype: DType, cores: int) -> int | None:
    """Return the bytes of a nest that reduces, reorders or repeats tiles; None for others."""
    nest, result = op.program, op.type
    if len(op.operands) != 1 or len(nest.body) != 1:
        return None
    operand, work = op.operands[0], nest.body[0].name
    if (order := tile_order(nest)) is not None:
        return permutation_bytes(operand.shape, order, dtype)
    if is_broadcast(nest, operand, result):
        return _repeated(operand, result, dtype, cores)
    kind = KINDS.get(work)
    return None if kind is None else reduction_bytes(kind, operand.shape, nest.reductions, result.shape, dtype, cores)


def _repeated(source: TensorType, target: TensorType, dtype: DType, cores: int) -> int:
    """Return the bytes of a repetition along unit dimensions."""
    if source.shape == target.shape:
        return 2 * dtype.tile_bytes  # Nothing is repeated: tiles are copied, one while the next comes.
    return repeat_bytes(source.shape, _factors(source, target), dtype, cores)


def _factors(source: TensorType, target: TensorType) -> tuple[int, ...]:
    """Return the number of repetitions of each dimension."""
    return tuple(after // max(before, 1) for before, after in zip(source.shape, target.shape, strict=True))


def _in_pieces(op: Op, dtype: DType, cores: int) -> int | None:
    match op:
        case Concat():
            nbytes = concat_bytes([t.shape for t in op.inputs], op.results[0].shape, op.dim, dtype, cores)
        case Broadcast():
            nbytes = _repeated(op.input, op.results[0], dtype, cores)
        case Repeat():
            nbytes = repeat_bytes(op.input.shape, op.repeat_dimensions, dtype, cores)
        case RepeatInterleave():
            nbytes = interleaved_repeat_bytes(op.input.shape, op.results[0].shape, op.dim, dtype, cores)
        case Pad():
            nbytes = _padded(op, dtype, cores)
        case SliceStatic() | Index() | IndexSelect():
            begins, step = _bounds(op)
            nbytes = slice_bytes(op.input.shape, begins, op.results[0].shape, step, dtype, cores)
        case _:
            nbytes = None
    return nbytes


def _padded(op: Pad, dtype: DType, cores: int) -> int | None:
    """Return the bytes of padding after a slice for negative padding; None for padding before the first element."""
    rank = op.input.rank
    cuts = [op.cut(d) for d in range(rank)]
    if any(op.padding[2 * d] > 0 for d in range(rank)):
        return None
    left = tuple(extent - sum(cut) for extent, cut in zip(op.input.shape, cuts, strict=True))
    sliced = slice_bytes(op.input.shape, [low for low, _ in cuts], left, (1,) * rank, dtype, cores)
    padded = pad_bytes(left, op.results[0].shape, dtype) if left != op.results[0].shape else 0
    return max(padded, sliced if left != op.input.shape else 0)


def _bounds(op: SliceStatic | Index | IndexSelect) -> tuple[Sequence[int], Sequence[int]]:
    """Return the start and step of a slice in each dimension."""
    shape = op.input.shape
    if isinstance(op, SliceStatic):
        return [b + extent if b < 0 else b for b, extent in zip(op.begins, shape, strict=True)], op.step
    begins, step = [0] * len(shape), [1] * len(shape)
    axis = op.dim % len(shape)
    begins[axis] = op.begin % max(shape[axis], 1)
    step[axis] = op.step if isinstance(op, Index) else op.stride or 1
    return begins, step


def _looked_up(op: EmbeddingBag, index: DType, chip: ChipDesc) -> int:
    """Return the bytes of rows that are looked up and reduced by bag."""
    width = op.weight.shape[-1]
    rows = lookup_bytes(op.input.shape, width, index, DType.BF16, chip)
    if op.offsets is not None:
        return max(rows, _bags(op, chip.num_cores))
    shape, result_shape = (*op.input.shape, width), op.results[0].shape
    return max(rows, reduction_bytes(op.mode, shape, (1,), result_shape, DType.BF16, chip.num_cores))


def _bags(op: EmbeddingBag, cores: int) -> int:
    """Return the bytes of computing each row's bag: comparisons with offsets, minus those of the next bag."""
    assert op.offsets is not None
    offsets, real = op.offsets.size, DType.F32
    begun = (offsets, op.input.size)
    compared = typecast(real, real) + typecast(real, DType.BF16)
    shifted = slice_bytes(begun, (1, 0), (offsets - 1, op.input.size), (1, 1), DType.BF16, cores)
    return max(compared, shifted, tilize((1, offsets), DType.SI32, DType.SI32, cores))


def _rows(indices: TensorType, result: TensorType, index: DType, chip: ChipDesc) -> int:
    """Return the bytes of looked-up rows.

    Indices without two dimensions are reshaped to one row, and rows reshaped back.
    """
    *shape, width = result.shape
    if len(shape) == _MATRIX:
        return lookup_bytes(tuple(shape), width, index, DType.BF16, chip)
    flat = (1, indices.size)
    still = matrix(result.shape) == (indices.size, width)
    reshaped = 0 if still else reshape_bytes((*flat, width), result.shape, DType.BF16)
    return max(reshaped, lookup_bytes(flat, width, index, DType.BF16, chip))
