"""Conversion of a compiled program back to a module of named `ttir`, without device details."""

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.base import create
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.program.buffers import DEALLOCATE
from ttstack.program.records import Function, Operation, TensorKind


def module_of(function: Function) -> ir.Module:
    """Return the function's operations, one for one, in the current context; constants are parameters.

    Raises:
        UnsupportedOpError: an op is a dispatch without an equivalent named op.
    """
    generics = sum(op.name == "generic" for op in function.operations)
    if generics:
        count = f"{generics} dispatch{'es' * (generics > 1)}"
        raise UnsupportedOpError(f"{count} has no named op", hint="run the program on NumPy")
    module = ir.Module.create()
    inputs = [function.tensors[i] for i in function.inputs]
    with ir.InsertionPoint(module.body), ir.Location.unknown(), as_diagnostics("the program is not a module"):
        made = func.FuncOp(function.name, ([tensor_type(t.type) for t in inputs], []))
        block = made.add_entry_block()
        values: dict[int, ir.Value] = {t.id: v for t, v in zip(inputs, block.arguments, strict=True)}
        with ir.InsertionPoint(block):
            for operation in function.operations:
                _add(function, operation, values)
            outputs = [values[o.tensor] for o in function.outputs]
            func.ReturnOp(outputs)
        types = ir.FunctionType.get([a.type for a in block.arguments], [v.type for v in outputs])
        made.attributes["function_type"] = ir.TypeAttr.get(types)
        kinds = [TensorKind.INPUT if t.kind is TensorKind.INPUT else TensorKind.PARAMETER for t in inputs]
        signatures = [ArgumentSignature(t.name, kind) for t, kind in zip(inputs, kinds, strict=True)]
        write_signature(made, signatures, [o.name for o in function.outputs])
    return module


def _add(function: Function, operation: Operation, values: dict[int, ir.Value]) -> None:
    if operation.name == DEALLOCATE:
        return
    operands = [None if i is None else values[i] for i in operation.operands]
    if operation.name == "to_layout":
        (source, *_) = operands
        assert source is not None
        values[operation.results[0]] = source
        return
    spelled = [function.tensors[i].type for i in operation.results]
    made = create("ttir", operation.name, operands, operation.attributes, results=spelled)
    values |= dict(zip(operation.results, made.results, strict=True))
