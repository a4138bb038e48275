"""Ops of MLIR's `arith` and `math` on tensors, which some frontends leave among StableHLO ops."""

from types import MappingProxyType

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.mlir import ir

SPELLINGS = MappingProxyType(
    {
        "arith.constant": "constant",
        "arith.addf": "add",
        "arith.addi": "add",
        "arith.subf": "subtract",
        "arith.subi": "subtract",
        "arith.mulf": "multiply",
        "arith.muli": "multiply",
        "arith.divf": "divide",
        "arith.divsi": "divide",
        "arith.remf": "remainder",
        "arith.remsi": "remainder",
        "arith.negf": "negate",
        "arith.maximumf": "maximum",
        "arith.maxsi": "maximum",
        "arith.minimumf": "minimum",
        "arith.minsi": "minimum",
        "arith.andi": "and",
        "arith.ori": "or",
        "arith.xori": "xor",
        "arith.extf": "convert",
        "arith.truncf": "convert",
        "arith.select": "select",
        "math.absf": "abs",
        "math.absi": "abs",
        "math.ceil": "ceil",
        "math.cos": "cosine",
        "math.exp": "exponential",
        "math.expm1": "exponential_minus_one",
        "math.floor": "floor",
        "math.log": "log",
        "math.log1p": "log_plus_one",
        "math.powf": "power",
        "math.rsqrt": "rsqrt",
        "math.sin": "sine",
        "math.sqrt": "sqrt",
        "math.tan": "tan",
        "math.tanh": "tanh",
    }
)
"""The equivalent StableHLO op by name, with the same operands."""


def spell_as_stablehlo(module: ir.Module) -> None:
    """Replace such ops if they have only tensors, and splats of numbers."""
    found: list[ir.Operation] = []
    numbers: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        values = (*op.operands, *op.results)
        if _is_splat(op) or (op.name in SPELLINGS and all(isinstance(v.type, ir.RankedTensorType) for v in values)):
            found.append(op)
        elif op.name == "arith.constant":
            numbers.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        with insert_before(op):
            new = _spell(op)
        op.results[0].replace_all_uses_with(new.results[0])
        op.erase()
    for op in numbers:
        if not list(op.results[0].uses):
            op.erase()


def _is_splat(op: ir.Operation) -> bool:
    """Return True for a splat of one number."""
    return op.name == "tensor.splat" and len(op.operands) == 1 and _defined_by(op.operands[0]) == "arith.constant"


def _defined_by(value: ir.Value) -> str:
    return "" if isinstance(value.owner, ir.Block) else value.owner.name


def _spell(op: ir.Operation) -> ir.Operation:
    result, attributes, operands = op.results[0].type, dict[str, ir.Attribute](), list(op.operands)
    if op.name == "arith.constant":
        attributes["value"] = op.attributes["value"]
    if op.name == "tensor.splat":
        number = defining_op(operands.pop())
        assert number is not None
        attributes["value"] = ir.DenseElementsAttr.get_splat(result, number.attributes["value"])
    name = SPELLINGS.get(op.name, "constant")
    return ir.Operation.create(f"stablehlo.{name}", results=[result], operands=operands, attributes=attributes)
