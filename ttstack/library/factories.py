"""The program factory of a placed op, if its device operation has several."""

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.halo import has_own_shards
from ttstack.device.kernel_class import divides_rows, is_product
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.normalization import GroupNorm

_PRODUCTS = {
    MatmulProgram.MULTICAST_2D: "MatmulMultiCoreReuseMcast2D",
    MatmulProgram.MULTICAST_1D: "MatmulMultiCoreReuseMcast1D",
    MatmulProgram.REUSE: "MatmulMultiCoreReuseOptimized",
    MatmulProgram.DRAM_SHARDED: "MatmulMultiCoreReuseMultiCastDRAMSharded",
}


def factory(device_op: DeviceOp) -> str | None:
    """Return the factory's name in the library's graph; None if configuration and layouts determine it."""
    config = device_op.config
    if is_product(device_op.op) and isinstance(config, MatmulConfig):
        return _PRODUCTS[config.type]
    if has_own_shards(device_op):
        return "Conv2dWidthSharded" if device_op.spread is Spread.COLUMNS else "Conv2dSharded"
    if isinstance(device_op.op, GroupNorm):
        return "GroupNormSharded"
    if divides_rows(device_op.op):
        return "LayerNormSharded" if device_op.operands[0].sharded else "LayerNormMultiCore"
    return None
