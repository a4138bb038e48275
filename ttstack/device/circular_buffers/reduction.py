"""Circular buffers of reductions, a kernel per dimension; sums over leading dimensions add full tiles.

Other reductions over a leading dimension permute it to the rows first, whose tiles it does not fill.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import prod

from ttstack.device.circular_buffers.permutation import permutation_bytes
from ttstack.device.circular_buffers.reshape import reshape_bytes
from ttstack.device.circular_buffers.tiles import DOUBLE, Shape, fill_padding, matrix, tile_matrix, tilize, untilize
from ttstack.device.device_op import DeviceOp
from ttstack.ops.reduction import Argmax
from ttstack.ops.types import DType, tiles
from ttstack.system_desc import ChipDesc

_TILES_ADDED = 8
"""Maximum number of tiles added at a time."""
_PIECE = 4
"""Number of tiles read at a time, and of columns that Dst holds in 32 bits."""
_WIDE = (DType.F32, DType.SI32, DType.UI32)
"""Formats that Dst holds in 32 bits."""
KINDS = {f"reduce_{kind}": kind for kind in ("sum", "mean", "max", "min")} | {"reduce_and": "min", "reduce_or": "max"}
"""Kinds of reductions with a kernel, by tile op; for bools minimum and maximum."""


@dataclass(frozen=True)
class ReductionStage:
    """The reduction of one dimension."""

    kind: str
    shape: Shape
    """The shape before it."""
    dim: int
    source: DType
    result: DType
    wide: bool
    """Whether Dst holds 32 bits, in half as many tiles."""

    @property
    def transposed(self) -> bool:
        """True if the dimension is swapped with the rows before the reduction, and back after it."""
        return self.dim < len(self.shape) - 2 and not (self.kind == "sum" and self.source is not DType.F32)

    @property
    def order(self) -> tuple[int, ...]:
        """The dimensions with the reduced one as rows."""
        order = list(range(len(self.shape)))
        order[self.dim], order[-2] = order[-2], order[self.dim]
        return tuple(order)

    @property
    def left(self) -> Shape:
        """The shape after it."""
        return tuple(1 if d == self.dim else extent for d, extent in enumerate(self.shape))

    def kernels(self, cores: int) -> Iterator[int]:
        """Yield the bytes of each kernel."""
        if self.transposed:
            transposed = tuple(self.shape[d] for d in self.order)
            yield permutation_bytes(self.shape, self.order, self.source)
            yield self._down(transposed, cores)
            yield permutation_bytes((*transposed[:-2], 1, transposed[-1]), self.order, self.result)
        elif self.dim == len(self.shape) - 1:
            yield self._across(cores)
        elif self.dim == len(self.shape) - 2:
            yield self._down(self.shape, cores)
        else:
            yield self._added(self.shape[self.dim])

    def _across(self, cores: int) -> int:
        """Return the bytes for rows; several tiles are read at a time if a core has enough."""
        rows, columns = tile_matrix(self.shape)
        several = max(rows // cores, 1) * columns >= _PIECE
        if self._negated:
            return self._step(1 + (_PIECE if several and rows // cores > 1 else 1))
        return self._step(_PIECE if several else 1)

    def _down(self, shape: Shape, cores: int) -> int:
        """Return the bytes for columns; as many as Dst holds are read at a time if a core has enough."""
        height, width = matrix(shape)
        columns, most = prod(shape[:-2]) * tiles(width), _PIECE if self.wide else 2 * _PIECE
        if self._negated:
            return self._step(most - 1 + tiles(height) * -(-columns // cores))
        return self._step(most if columns // cores >= most else 1)

    @property
    def _negated(self) -> bool:
        """True if a minimum is the maximum of the negated tiles, as for block formats."""
        return self.kind == "min" and self.source.is_block

    def _step(self, at_once: int) -> int:
        """Return the bytes of double-buffered streams, and of the factor."""
        factor = DType.F32 if self.source is DType.F32 else DType.BF16
        return DOUBLE * (at_once * self.source.tile_bytes + self.result.tile_bytes) + factor.tile_bytes

    def _added(self, extent: int) -> int:
        """Return the number of tiles added at a time, a divisor of the total."""
        at_once = max((n for n in range(1, _TILES_ADDED + 1) if extent % n == 0), default=1)
        return DOUBLE * (at_once * self.source.tile_bytes + self.result.tile_bytes) + DType.BF16.tile_bytes


def reduction_bytes(
    kind: str, shape: Shape, dims: Collection[int], result_shape: Shape, dtype: DType, cores: int
) -> int:
    """Return the bytes of all kernels of a reduction along `dims`, and of the reshape to `result_shape` after it."""
    kernel_bytes = [fill_padding(shape, dtype)]
    kernel_bytes += [nbytes for stage in stages(kind, shape, dims, dtype) for nbytes in stage.kernels(cores)]
    kept = kept_shape(shape, dims)
    return (
        max(kernel_bytes)
        if matrix(kept) == matrix(result_shape)
        else max(*kernel_bytes, reshape_bytes(kept, result_shape, dtype))
    )


def product_bytes(shape: Shape, dims: Collection[int], dtype: DType) -> int:
    """Return the bytes of products along `dims`, with the last dimension permuted to the front and back."""
    forward = (len(shape) - 1, *range(len(shape) - 1))
    transposed = permutation_bytes(shape, forward, dtype) if forward[0] in dims else 0
    return max(fill_padding(shape, dtype), 2 * DOUBLE * dtype.tile_bytes, transposed)


def kept_shape(shape: Shape, dims: Collection[int]) -> Shape:
    """Return the shape with extent 1 for reduced dimensions."""
    return tuple(1 if d in dims else extent for d, extent in enumerate(shape))


def stages(kind: str, shape: Shape, dims: Collection[int], dtype: DType) -> Iterator[ReductionStage]:
    """Yield the reductions in order; remaining summands are stored in 32 bits."""
    rank, source = len(shape), dtype
    matrix_dims = [d for d in (rank - 1, rank - 2) if d in dims]
    leading = sorted((d for d in dims if d < rank - 2), reverse=True)
    adds = kind == "sum" and dtype is not DType.F32
    order = [*leading, *matrix_dims] if adds else [*matrix_dims, *leading]
    at_once = kind == "mean" and len(matrix_dims) > 1 and (not leading or len(order) == rank)
    between = DType.F32 if dtype is DType.BF16 and kind in ("sum", "mean") and not at_once else dtype
    wide = dtype in _WIDE
    for number, d in enumerate(order):
        plain = number == len(order) - 1 or (adds and len(order) == rank and d < rank - 2)
        stage = ReductionStage(kind, shape, d, source, dtype if plain else between, wide)
        yield stage
        shape, source = stage.left, stage.result


def argmax_bytes(device_op: DeviceOp, op: Argmax, chip: ChipDesc) -> int | None:
    """Return the bytes on each core: a tile of the operand (two for leading dimensions), and two of positions."""
    (source,), (result,), cores = device_op.operands, device_op.results, chip.num_cores
    if not source.tiled:
        return None
    shape, index_dtype, read = op.results[0].shape, result.dtype, source.dtype.tile_bytes
    if max(op.dims, default=0) >= op.input.rank - 2:
        return max(read, tilize(shape, index_dtype, index_dtype, cores) if result.tiled else 0)
    kept = kept_shape(op.input.shape, op.dims)
    around = untilize(kept, index_dtype, cores), tilize(shape, index_dtype, index_dtype, cores)
    return max(DOUBLE * (read + index_dtype.tile_bytes), *around)
