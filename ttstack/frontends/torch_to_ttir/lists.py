"""Lists of tensors and of numbers: while a function is converted, a list is a cast from its elements."""

from ttstack.frontends.torch_to_ttir.boundary import list_of
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.mlir import ir

CONVERSIONS = ConversionTable()


@CONVERSIONS("torch.prim.ListConstruct")
def _construct(call: Call) -> ir.Value:
    """Nothing: whoever takes the list takes its elements."""
    return list_of(call.operands, call.op.results[0].type)


@CONVERSIONS("torch.prim.ListUnpack")
def _unpack(call: Call) -> list[ir.Value]:
    """Nothing: the elements themselves."""
    return call.tensors(0)
