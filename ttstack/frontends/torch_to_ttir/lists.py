"""Lists, which are casts from their elements during conversion, and numbers of another type."""

from ttstack.frontends.torch_to_ttir.boundary import list_of
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("torch.prim.ListConstruct")
def _construct(call: TorchOp) -> ir.Value:
    """Build a cast, as users of the list use its elements."""
    return list_of(call.operands, call.op.results[0].type)


@CONVERSIONS("torch.prim.ListUnpack")
def _unpack(call: TorchOp) -> list[ir.Value]:
    """Return the elements."""
    return call.tensors(0)


@CONVERSIONS("Int.bool")
def _int(call: TorchOp) -> ir.Value:
    """Build another constant."""
    kind = call.op.results[0].type
    value = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(call.flag(0)))
    return ir.Operation.create("torch.constant.int", results=[kind], attributes={"value": value}).results[0]
