"""Explicit typecasts for results of another element type."""

from ttstack.dialects.base import attribute_values, definition, operand_types, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.conversion import conversion
from ttstack.ops.creation import Constant
from ttstack.ops.types import ElementType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import defined_functions


class ConvertResults(Pass, name="convert-results"):
    """Add a `typecast` after an op whose result type differs from the inferred one.

    A constant with elements of another type gets a cast, too. A matmul result of rank 0 that is declared as a vector of
    one element gets a `reshape`. The new ops come after those of the operands.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite all functions, private ones too, so that later passes see only inferred types."""
        for function in defined_functions(module):
            for block in function.regions[0].blocks:
                for op in [o.operation for o in block.operations]:
                    spec = definition(op)
                    if spec is not None and (_has_other_elements(op, spec) or spec.scalar_as_vector):
                        _convert(op, spec)


def _has_other_elements(op: ir.Operation, spec: type[Op]) -> bool:
    if spec is Constant:
        return op.attributes["value"].type != op.results[0].type
    elements = {v.type.element_type for v in (*op.operands, *op.results)}
    return spec.computes is not None and len(elements) > 1


def _convert(op: ir.Operation, spec: type[Op]) -> None:
    spelled = [read_type(r.type) for r in op.results]
    if spec is Constant:
        inferred: tuple[TensorType, ...] = (read_type(op.attributes["value"].type),)
    else:
        converted = conversion(spec, operand_types(spec, op), attribute_values(spec, op), spelled)
        inferred = converted.op.results
        if converted.computed_in is not None:
            _cast_operands(op, spec, converted.computed_in)
    for result, have, want in zip(op.results, inferred, spelled, strict=True):
        if have != want:
            _cast_result(op, result, have, want)


def _cast_operands(op: ir.Operation, spec: type[Op], dtype: ElementType) -> None:
    values = operands_by_place(spec, op)
    named = [name for name, value in zip(spec.places(len(values)), values, strict=True) if value is not None]
    for number, name in enumerate(named):
        value = op.operands[number]
        t = read_type(value.type)
        if name in (spec.computes or ()) and t.dtype != dtype:
            with insert_before(op):
                op.operands[number] = ttir.typecast(value, result=t.with_dtype(dtype))


def _cast_result(op: ir.Operation, result: ir.Value, have: TensorType, want: TensorType) -> None:
    """Set the result to its inferred type, and let its uses read a cast, or a reshape of one element."""
    result.set_type(tensor_type(have))
    users = [use.owner.operation for use in result.uses]
    with ir.InsertionPoint.after(op), op.location:
        shaped = reshape_to(result, want.shape)
        cast = shaped if have.dtype == want.dtype else ttir.typecast(shaped, result=want)
    for user in users:
        _replace_operand(user, result, cast)


def _replace_operand(user: ir.Operation, old: ir.Value, new: ir.Value) -> None:
    for i, operand in enumerate(user.operands):
        if operand == old:
            user.operands[i] = new
