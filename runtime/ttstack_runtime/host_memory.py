"""The host's memory: what running a function needs, and what there is."""

from collections.abc import Mapping

import numpy as np

from ttstack.buffers.lifetimes import BufferAccesses, lifetimes, live_bytes
from ttstack.diagnostics import ExecutionError
from ttstack.ops.devices import Mesh
from ttstack.program.records import Function, Operation
from ttstack.support.operating_system import available_memory
from ttstack_runtime.lifetimes import ends
from ttstack_runtime.lookup import TABLE, is_sparse
from ttstack_runtime.mutation import mutated_tensors
from ttstack_runtime.per_device import divided_tensors
from ttstack_runtime.precision import Ieee


def require(needed: int, purpose: str) -> None:
    """Check that the host has `needed` bytes.

    Raises:
        ExecutionError: it has fewer.
    """
    available = available_memory()
    if needed > available:
        raise ExecutionError(
            f"{purpose} needs {needed} bytes of host memory, {available} are available",
            hint="predict its time without running it (--cost-only), or make the model or its batch smaller",
        )


def run_bytes(
    function: Function,
    rules: Ieee,
    weights: Mapping[int, np.dtype],
    mesh: Mesh | None = None,
) -> int:
    """Host bytes that running takes at its peak, beyond the weights (`weights`: NumPy type by tensor id).

    That is all live values, copies of the weights that the running op takes in another format, and as much
    again as its results for what it needs meanwhile. Weights are in memory already, or stay in their file.
    Buffers that operations write to are copied once. Of what differs from device to device of the mesh, every
    device has its own.
    """
    sizes = [0 if t.alias is not None else t.type.size * rules.held[t.type.dtype].itemsize for t in function.tensors]
    for tensor in divided_tensors(function) if mesh else ():
        sizes[tensor] *= mesh.size if mesh else 1
    changed = {function.owners[t] for operation in function.operations for t in mutated_tensors(operation)}
    steps = [
        BufferAccesses((), op.results, ended) for op, ended in zip(function.operations, ends(function), strict=True)
    ]
    given = [t for t in function.inputs if t not in weights]
    lives = lifetimes(steps, given, {})
    live = live_bytes([(life, sizes[t]) for t, life in lives.items()], len(steps))
    peaks = (
        held + sum(sizes[t] for t in op.results) + _converted_bytes(function, op, rules, weights)
        for held, op in zip(live, function.operations, strict=True)
    )
    return sum(sizes[t] for t in changed) + max(peaks, default=sum(sizes[t] for t in given))


def _converted_bytes(function: Function, operation: Operation, rules: Ieee, weights: Mapping[int, np.dtype]) -> int:
    """Bytes of the weights that have to be converted for one operation."""
    total = 0
    for place, tensor in enumerate(operation.operands):
        if tensor is None or tensor not in weights or not rules.copies(function.tensors[tensor], weights[tensor]):
            continue
        t = function.tensors[tensor].type
        size = t.size
        if place == TABLE:
            width = max(t.shape[-1], 1) if t.rank else 1
            indices = function.tensors[operation.operands[0] or 0].type.size
            size = indices * width if is_sparse(operation, indices, size // width) else size
        total += size * rules.held[t.dtype].itemsize
    return total
