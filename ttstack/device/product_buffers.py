"""Which circular buffers a product has, by its kernel."""

from ttstack.device.convolution_buffers import ConvolutionBuffers
from ttstack.device.device_op import DeviceOp
from ttstack.device.halo import has_own_shards
from ttstack.device.kernel_class import over_banks
from ttstack.device.matmul_buffers import MatmulBuffers
from ttstack.device.streamed_buffers import StreamedBuffers
from ttstack.system_desc import ChipDesc


def buffers_of(device_op: DeviceOp, chip: ChipDesc) -> MatmulBuffers | StreamedBuffers | ConvolutionBuffers:
    """Those of the op's kernel; a convolution that fits L1 in no blocks is taken in slices of its input in DRAM."""
    if has_own_shards(device_op):
        whole = ConvolutionBuffers.of(device_op, chip)
        source = device_op.operands[0]
        if source.in_l1 or whole.nbytes(1, whole.columns, 1, 1) <= chip.l1_usable_bytes:
            return whole
    streamed = len(device_op.operands) > 1 and over_banks(device_op.operands[1])
    return StreamedBuffers.of(device_op) if streamed else MatmulBuffers.of(device_op)
