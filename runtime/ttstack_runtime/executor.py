"""Executes a compiled program on NumPy, on a device of which every buffer is checked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ttstack.diagnostics import ExecutionError, InputError, TTStackError
from ttstack.ops.devices import Mesh
from ttstack.options.choices import Numerics
from ttstack.program.complex_values import complex_outputs
from ttstack.program.loops import called_names
from ttstack.program.records import Binary, Function, Operation, Output, TensorKind
from ttstack_runtime.evaluate import KERNEL_FAULTS
from ttstack_runtime.given_shapes import held_values, to_given_shapes, to_held_shapes
from ttstack_runtime.host_memory import require, run_bytes
from ttstack_runtime.inputs import check_inputs
from ttstack_runtime.kernel_binding import Call, attributes, bind
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.lifetimes import ends
from ttstack_runtime.lookup import TABLE, is_sparse, move_padding, pick_rows
from ttstack_runtime.loops import loop_call
from ttstack_runtime.memory_check import check_memory
from ttstack_runtime.mutation import Changes
from ttstack_runtime.per_device import PerDevice, Value, each, same_everywhere
from ttstack_runtime.precision import Ieee, precision

Progress = Callable[[int, int, str], None]
"""Called after each operation with the number that are done, the number of all, and the op's name."""
Watch = Callable[[Operation, Sequence[Any]], None]
"""Called after each operation with all values by tensor id: arrays, or one a device; None where nothing is held."""


@dataclass(frozen=True)
class Executed:
    """What one execution left behind."""

    outputs: Mapping[str, np.ndarray]
    """The function's results by name."""
    updated: Mapping[str, np.ndarray]
    """Inputs and parameters that ops wrote to, by name, as they are at the end."""


def execute(
    binary: Binary,
    inputs: Mapping[str, np.ndarray],
    *,
    function: str | None = None,
    numerics: Numerics = "ieee",
    progress: Progress | None = None,
) -> dict[str, np.ndarray]:
    """Outputs by name, in their logical element types; takes what `run` takes and raises what it raises."""
    done = run(binary, inputs, function=function, numerics=numerics, progress=progress)
    return dict(done.outputs)


def run(
    binary: Binary,
    inputs: Mapping[str, np.ndarray],
    *,
    function: str | None = None,
    numerics: Numerics = "ieee",
    progress: Progress | None = None,
    watch: Watch | None = None,
    check_buffers: bool = True,
    loop_limit: int | None = None,
) -> Executed:
    """Outputs, and inputs that ops wrote to, of one function on `inputs`; the arrays given are left as they are.

    `inputs` can name parameters too, which have those values in this run. `function` can be left out where the
    program has one. With numerics `ieee`, f32 and f64 are IEEE 754; bf16 and f16 are computed in float32 and
    rounded where a result is stored. With `device`, every real tensor is rounded to the format of its layout and
    matrix operands are cut to the op's math fidelity. A program without addresses runs without `check_buffers`.
    Loops end after `loop_limit` iterations, if given, whatever their condition says.

    Raises:
        InputError: inputs do not fit the function, or there is no such function.
        ExecutionError: buffers overlap or leave their memory, a tensor is read that holds nothing, weights
            are missing, an op has no reference semantics, or the host has not enough memory.
    """
    rules = precision(numerics)
    chosen = find_function(binary, function)
    given = check_inputs(chosen, to_held_shapes(binary, chosen, inputs))
    if check_buffers:
        check_memory(chosen, binary.chip(chosen))
    mesh = Mesh(binary.system_desc.mesh_shape) if chosen.spans_mesh else None
    running = _Run(binary, chosen, rules, given, mesh, loop_limit)
    require(running.peak_bytes(), f"running '{chosen.name}'")
    with np.errstate(all="ignore"):
        outputs = running.all(given, progress, watch)
    return Executed(
        complex_outputs(chosen, outputs), to_given_shapes(binary, chosen, inputs, running.changes.updated_arrays())
    )


def find_function(binary: Binary, name: str | None) -> Function:
    """The function of that name, or the only one.

    Raises:
        InputError: there is no such function, or several and no name.
    """
    inside = (inner for program in binary.functions for inner in program.with_loops)
    found = [f for f in (binary.functions if name is None else inside) if name in (None, f.name)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f.name for f in binary.functions) or "none"
    what = "does not name the function to run" if name is None else f"has no function '{name}'"
    raise InputError(f"the program {what}" if name else f"the call {what}", notes=(f"functions: {names}",))


class _Run:
    """Executions of a function: values by tensor id, each dropped after its last read."""

    def __init__(
        self,
        binary: Binary,
        function: Function,
        rules: Ieee,
        given: Mapping[str, Array],
        mesh: Mesh | None,
        loop_limit: int | None,
    ) -> None:
        self._function = function
        self._rules = rules
        self._mesh = mesh
        self._weights = _weights(binary, function, given)
        self._ends = ends(function)
        self._loops = {loop.name: _Run(binary, loop, rules, given, mesh, loop_limit) for loop in function.loops}
        self._calls = _bind_all(function, rules, mesh, self._loops, loop_limit)
        self._start()

    def _start(self) -> None:
        """Forget all values of an earlier execution."""
        self._values: list[Any] = [None] * len(self._function.tensors)
        self.changes = Changes(self._function, self._rules, self._values, self._read)

    def peak_bytes(self) -> int:
        """Return the host bytes that it takes at its peak, with the largest of its loops' functions."""
        types = {tensor: data.dtype for tensor, data in self._weights.items()}
        inside = max((loop.peak_bytes() for loop in self._loops.values()), default=0)
        return inside + run_bytes(self._function, self._rules, types, self._mesh)

    def iterate(self, given: Sequence[Array]) -> list[np.ndarray]:
        """Run it once on values in the order of its inputs; return its outputs in order."""
        return list(self.all(dict(zip(self._function.arguments, given, strict=True)), None, None).values())

    def all(self, given: Mapping[str, Array], progress: Progress | None, watch: Watch | None) -> dict[str, np.ndarray]:
        """Run every operation in order."""
        self._start()
        tensors = self._function.tensors
        for name, tensor in self._function.arguments.items():
            self._values[tensor.id] = self._rules.load(given[name], tensor)
        total = len(self._calls)
        for done, (operation, call) in enumerate(zip(self._function.operations, self._calls, strict=True)):
            self._step(operation, call)
            if watch is not None:
                watch(operation, self._values)
            for tensor in self._ends[done]:
                self._values[tensor] = None
            if progress is not None:
                progress(done + 1, total, operation.name)
        return {
            output.name: np.array(self._result(output), dtype=tensors[output.tensor].type.dtype.numpy)
            for output in self._function.outputs
        }

    def _step(self, operation: Operation, call: Call) -> None:
        try:
            self.changes.prepare(operation)
            sparse = self._sparse(operation)
            operands, changes = sparse or ([self._read(t) for t in operation.operands], {})
            made = call(*operands, **changes)
            results: tuple[Any, ...] = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
            for tensor, result in zip(operation.results, results, strict=True):
                self._store(operation, tensor, each(np.asarray, result))
            self.changes.settle(operation)
        except TTStackError as fault:
            raise _locate(fault, operation) from fault.__cause__
        except KERNEL_FAULTS as fault:
            what = f"{operation.name}: {fault or type(fault).__name__}"
            raise ExecutionError(what, loc=operation.location or None) from fault

    def _store(self, operation: Operation, tensor: int, value: Value) -> None:
        self._values[tensor] = each(lambda result: self._held(operation, tensor, result), value)

    def _held(self, operation: Operation, tensor: int, result: Array) -> Array:
        record = self._function.tensors[tensor]
        if result.shape != record.type.shape:
            raise ExecutionError(
                f"{operation.name}: the value of '{record.name}' has shape {result.shape}, not {record.type}",
                loc=operation.location or None,
            )
        viewed = None if record.alias is None else self._function.tensors[record.alias].type.dtype
        return self._rules.store(result, record, rounded=viewed == record.type.dtype)

    def _result(self, output: Output) -> Array:
        array = same_everywhere(self._read(output.tensor))
        if array is None:
            raise ExecutionError(
                f"output '{output.name}' differs from device to device",
                hint="join the devices' parts: ttir.mesh_shard with shard_direction shard_to_full",
            )
        return array

    def _read(self, tensor: int | None) -> Any:
        if tensor is None:
            return None
        value = self._values[tensor]
        if value is not None or tensor not in self._weights:
            return value
        return self._rules.load(self._weights[tensor], self._function.tensors[tensor])

    def _sparse(self, operation: Operation) -> tuple[list[Any], dict[str, Any]] | None:
        """Operands and changed attributes of a lookup that converts only the rows it picks."""
        table = operation.operands[TABLE] if len(operation.operands) > TABLE else None
        if table is None or table not in self._weights or self._values[table] is not None:
            return None
        tensor, data = self._function.tensors[table], self._weights[table]
        indices = self._function.tensors[operation.operands[0] or 0].type.size
        rows = tensor.type.size // max(data.shape[-1], 1) if data.ndim else 0
        if not is_sparse(operation, indices, rows) or not self._rules.copies(tensor, data.dtype):
            return None
        wanted = self._read(operation.operands[0])
        if isinstance(wanted, PerDevice):
            return None
        compact = pick_rows(wanted, data)
        if compact is None:
            return None
        positions, picked_rows, stood = compact
        rest = [self._read(t) for t in operation.operands[TABLE + 1 :]]
        padding = attributes(operation).get("padding_idx", -1)
        changes = {} if padding == -1 else move_padding({"padding_idx": padding}, stood)
        return [positions, self._rules.load(picked_rows, tensor), *rest], changes


def _bind_all(
    function: Function, rules: Ieee, mesh: Mesh | None, loops: Mapping[str, _Run], loop_limit: int | None
) -> list[Call]:
    """A call for each operation; all ops without reference semantics are reported together."""
    calls: list[Call] = []
    faults: list[TTStackError] = []
    for operation in function.operations:
        try:
            names = called_names(operation)
            inside = {name: loops[name].iterate for name in names}
            loop = loop_call(function, operation, inside, loop_limit) if names else None
            calls.append(loop or bind(function, operation, rules, mesh))
        except ExecutionError as fault:
            faults.append(fault)
    if not faults:
        return calls
    if len(faults) == 1:
        raise faults[0]
    notes = tuple(dict.fromkeys(fault.diagnostic.message for fault in faults))
    raise ExecutionError(f"{len(faults)} operations cannot be executed", notes=notes)


def _weights(binary: Binary, function: Function, given: Mapping[str, Array]) -> dict[int, Array]:
    """Data of parameters and constants by tensor id: those that are given for this run, else the program's."""
    found: dict[int, Array] = {}
    missing: list[str] = []
    for tensor in (function.tensors[i] for i in function.inputs):
        if tensor.kind is TensorKind.INPUT:
            continue
        if tensor.name in given:
            found[tensor.id] = given[tensor.name]
            continue
        weight = binary.weights.get(tensor.holds.weight)
        if weight is None or weight.data is None:
            missing.append(tensor.name)
            continue
        if weight.data.shape != weight.type.shape:
            raise ExecutionError(f"weight '{weight.name}' has shape {list(weight.data.shape)}, not {weight.type}")
        found[tensor.id] = held_values(tensor, weight.data)
    if missing:
        raise _describe(missing)
    return found


def _describe(missing: list[str]) -> ExecutionError:
    named = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return ExecutionError(
        "weights were only described",
        notes=(f"no data for {named}",),
        hint="give the weights when compiling, run with random ones, or predict the time without running",
    )


def _locate(fault: TTStackError, operation: Operation) -> TTStackError:
    """The fault of a kernel with the place of the operation that called it."""
    d = fault.diagnostic
    if d.loc or not operation.location:
        return fault
    return type(fault)(f"{operation.name}: {d.message}", loc=operation.location, notes=d.notes, hint=d.hint)
