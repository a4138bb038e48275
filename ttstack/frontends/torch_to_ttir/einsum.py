"""Einstein summation."""

from ttstack.frontends.conversion.einsum import EINSUM, einsum
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("einsum", to=EINSUM)
def _einsum(call: TorchOp) -> ir.Value:
    """Contract operands one after the other, then permute."""
    return einsum(call.text(0), call.tensors(1), call.result)
