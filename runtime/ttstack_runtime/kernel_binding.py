"""How an operation of a program becomes a call of its kernel."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ttstack.device.device_op import Fidelity
from ttstack.diagnostics import ExecutionError
from ttstack.ops import OPS
from ttstack.ops.devices import Mesh, MeshOp
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.tensor_train import Contraction
from ttstack.program.buffers import DEALLOCATE
from ttstack.program.records import Function, Operation
from ttstack_runtime import kernels
from ttstack_runtime.evaluate import result_keywords
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.per_device import across, on_all_devices
from ttstack_runtime.precision import Device, Ieee
from ttstack_runtime.region import Region
from ttstack_runtime.tensor_train_parameters import device_lookup

Call = Callable[..., Any]
"""Takes the operands, None where an optional one is absent, and keywords that replace attributes."""


def bind(function: Function, operation: Operation, rules: Ieee, mesh: Mesh | None = None) -> Call:
    """The call that computes the operation's results from its operands as the rules hold them.

    On a mesh, operands can be `PerDevice`.

    Raises:
        ExecutionError: the op has no reference semantics, or does not fit the mesh.
    """
    if mesh is None:
        return _bind(function, operation, rules)
    if OPS[operation.name].spans_mesh:
        return _bind_across(function, operation, mesh)
    return on_all_devices(_bind(function, operation, rules))


def _bind_across(function: Function, operation: Operation, mesh: Mesh) -> Call:
    kernel = kernels.find(operation.name)
    try:
        definition = function.definition(operation)
        if isinstance(definition, MeshOp):
            definition.check_mesh(mesh)
        keywords = attributes(operation) | result_keywords(definition)
    except ValueError as e:
        raise ExecutionError(f"{operation.name}: {e}", loc=operation.location or None) from e
    if kernel is None:
        raise _unknown(operation)
    return partial(across(kernel, mesh), **keywords)


def _bind(function: Function, operation: Operation, rules: Ieee) -> Call:
    if operation.name == "generic":
        return _bind_generic(function, operation, rules)
    if operation.name == "to_layout":
        return _same
    if operation.name == DEALLOCATE:
        return _nothing
    kernel = kernels.find(operation.name)
    if kernel is None:
        raise _unknown(operation)
    try:
        definition = function.definition(operation)
        call = partial(kernel, **(attributes(operation) | result_keywords(definition)))
    except ValueError as e:
        raise ExecutionError(f"{operation.name}: {e}", loc=operation.location or None) from e
    if isinstance(definition, Contraction) and isinstance(rules, Device):
        first_core = function.tensors[operation.operands[definition.chain.first] or 0]
        return partial(device_lookup, definition, rules, first_core.layout.dtype, operation.fidelity)
    sides = _lossy_sides(function, operation, definition.multiplied, rules)
    return partial(_multiply, call, sides, operation.fidelity, rules) if sides else call


def _unknown(operation: Operation) -> ExecutionError:
    return ExecutionError(
        f"op '{operation.name}' has no reference semantics",
        loc=operation.location or None,
        hint="predict its time without running it (--cost-only)",
    )


def attributes(operation: Operation) -> dict[str, Any]:
    """Attribute values by name, defaults of the definition included."""
    specs = OPS[operation.name].attribute_specs()
    defaults = {name: spec.default for name, spec in specs.items() if not spec.required}
    return defaults | {name: value for name, value in operation.attributes.items() if name in specs}


def _lossy_sides(
    function: Function, operation: Operation, multiplied: tuple[int, ...], rules: Ieee
) -> Mapping[int, int]:
    """The sides of the multiplier at which operands lose bits, by their numbers."""
    return {
        i: side
        for i, (number, side) in enumerate(zip(operation.operands, multiplied, strict=False))
        if number is not None and rules.truncates(function.tensors[number], side, operation.fidelity)
    }


def _multiply(
    call: Call, sides: Mapping[int, int], fidelity: Fidelity, rules: Ieee, *operands: Any, **changes: Any
) -> Any:
    """Run a contraction on what the multiplier takes of its operands."""
    taken = [rules.multiplier_input(x, sides[i], fidelity) if i in sides else x for i, x in enumerate(operands)]
    return call(*taken, **changes)


def _bind_generic(function: Function, operation: Operation, rules: Ieee) -> Call:
    program: LoopNest | None = _program(operation.attributes)
    if program is None:
        raise ExecutionError("generic: it has no program", loc=operation.location or None)
    multiplied = partial(_take, rules, operation)
    region = Region(program, rules, multiplied, operation.location)
    result = function.tensors[operation.results[0]].type
    return lambda *operands: region.run(operands, result)


def _program(attributes: Mapping[str, Any]) -> LoopNest | None:
    program = attributes.get("program")
    return program if isinstance(program, LoopNest) else None


def _take(rules: Ieee, operation: Operation, operand: Array, side: int) -> Array:
    return rules.multiplier_input(operand, side, operation.fidelity)


def _same(operand: Array) -> Array:
    return operand


def _nothing(*operands: Array) -> tuple[np.ndarray, ...]:  # noqa: ARG001 frees, computes nothing
    return ()
