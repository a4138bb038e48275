"""JAX's counter-based random numbers, which exports for other devices compute by a kernel."""

from ttstack.frontends.conversion.threefry import OPS, threefry
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("@cu_threefry2x32", "@cu_threefry2x32_ffi", "@hip_threefry2x32", "@hip_threefry2x32_ffi", to=OPS)
def _threefry(call: StablehloOp) -> list[ir.Value]:
    """Compute Threefry-2x32 with 20 rounds, on two words of a key and two of a counter."""
    if len(call.operands) != 4 or {t.dtype for t in call.types} != {DType.UI32}:
        call.refuse("takes other operands than two words of a key and two of a counter, each ui32")
    return threefry(call.operands[:2], call.operands[2:])
