"""Circular buffers of the places of greatest elements, which the kernel gives as rows."""

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_buffers.reduction import kept_shape
from ttstack.device.kernel_buffers.tiles import DOUBLE, tilize, untilize
from ttstack.ops.reduction import Argmax
from ttstack.system_desc import ChipDesc


def argmax_bytes(device_op: DeviceOp, op: Argmax, chip: ChipDesc) -> int | None:
    """Bytes on each core: a tile of what is searched, or of leading dimensions two, with two of places."""
    (given,), (made,), cores = device_op.operands, device_op.results, chip.num_cores
    if not given.tiled:
        return None
    shape, places, read = op.results[0].shape, made.dtype, given.dtype.tile_bytes
    if max(op.dims, default=0) >= op.input.rank - 2:
        return max(read, tilize(shape, places, places, cores) if made.tiled else 0)
    kept = kept_shape(op.input.shape, op.dims)
    around = untilize(kept, places, cores), tilize(shape, places, places, cores)
    return max(DOUBLE * (read + places.tile_bytes), *around)
