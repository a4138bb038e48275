"""The parts of a program as plain values: printed as JSON, or as tables."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.program.buffers import live_bytes
from ttstack.program.l1_use import l1_resident_share, span_bytes
from ttstack.program.launched import op_numbers
from ttstack.program.records import Binary, Function, Operation, Tensor, Weight
from ttstack.program.repeated_steps import repeated_steps
from ttstack.program.title import program_title
from ttstack.report.step_memory import step_memory
from ttstack.system_desc import to_dict


def summary(binary: Binary) -> dict[str, Any]:
    """Return the program's origin, inputs and outputs."""
    return {
        "made by": f"ttstack {binary.version}",
        "for": binary.system_desc.name,
        "ttnn": binary.system_desc.chips[0].ttnn,
        "pipeline": binary.pipeline,
        "weights": len(binary.weights),
        "weight bytes": sum(w.type.nbytes for w in binary.weights.values()),
        "ir stages": list(binary.stages),
        "functions": {f.name: _function(binary, f) for f in binary.functions},
    }


def titles(binary: Binary) -> list[str]:
    """Return a line for each function: model, input shape, formats and device."""
    return [str(program_title(binary, function)) for function in binary.functions]


def _function(binary: Binary, function: Function) -> dict[str, Any]:
    tensors, chip, title = function.tensors, binary.chip(function), program_title(binary, function)
    return {
        "model": title.model,
        "input shape": title.inputs,
        "formats": title.formats,
        "ops": len(function.operations),
        "tensors": len(tensors),
        "inputs": {name: str(t.given_type) for name, t in function.arguments.items()},
        "outputs": {name: str(t) for name, t in function.results.items()},
        "l1 bytes spanned by addresses": span_bytes(function, chip),
        "l1 bytes needed at least": max(live_bytes(function, chip), default=0),
        "% of results that never leave l1": round(100 * l1_resident_share(function), 1),
    }


def system_desc(binary: Binary) -> dict[str, Any]:
    """Return the device of the program."""
    return to_dict(binary.system_desc)


def ops(binary: Binary) -> list[dict[str, Any]]:
    """Return every operation in order; those that launch nothing have no number."""
    return [_op(f, n, op) for f in binary.functions for n, op in zip(op_numbers(f), f.operations, strict=True)]


def ops_once(binary: Binary) -> list[dict[str, Any]]:
    """Return ops as in tables, without deallocations; a repeated time step has the rows of its first call."""
    times = [n for function in binary.functions for n in _times(function)]
    rows = [(row, n) for row, n in zip(ops(binary), times, strict=True) if n and row["#"] is not None]
    if all(n == 1 for _, n in rows):
        return [row for row, _ in rows]
    return [{"function": row["function"], "#": row["#"], "times": n, **row} for row, n in rows]


def _times(function: Function) -> list[int]:
    """Return how many ops each op's row stands for: 0 for repetitions."""
    times = [1] * len(function.operations)
    for step in repeated_steps(function):
        times[step.start : step.stop] = [step.count] * step.length + [0] * step.saved
    return times


def _op(function: Function, number: int | None, op: Operation) -> dict[str, Any]:
    from ttstack.device.program_config import config_fields
    from ttstack.report.json import plain

    return {
        "function": function.name,
        "#": number,
        "op": op.name,
        "operands": list(op.operands),
        "results": list(op.results),
        "attributes": plain(op.attributes),
        "grid": str(op.grid),
        "spread": str(op.spread),
        "fidelity": str(op.fidelity),
        "config": config_fields(op.config),
        "circular buffer bytes": op.circular_buffer_bytes,
        "location": op.location,
    }


def tensors(binary: Binary) -> list[dict[str, Any]]:
    """Return every tensor with its layout and address."""
    return [_tensor(f, t) for f in binary.functions for t in f.tensors]


def _tensor(function: Function, tensor: Tensor) -> dict[str, Any]:
    return {
        "function": function.name,
        "#": tensor.id,
        "name": tensor.name,
        "kind": str(tensor.kind),
        "type": str(tensor.type),
        "layout": str(tensor.layout),
        "address": tensor.address,
        "alias": tensor.alias,
    }


def memory(binary: Binary) -> list[dict[str, Any]]:
    """Return the L1 bytes of the fullest core, with circular buffers, and DRAM bytes, during each op."""
    return [row for function in binary.functions for row in _memory(binary, function)]


def _memory(binary: Binary, function: Function) -> Iterator[dict[str, Any]]:
    chip = binary.chip(function)
    spaces = (MemorySpace.L1, MemorySpace.DRAM)
    capacity = {space: Memory.of(chip, space) for space in spaces}
    used = (live_bytes(function, chip, space) for space in spaces)
    for number, op, l1, dram in zip(op_numbers(function), function.operations, *used, strict=True):
        yield {
            "function": function.name,
            "#": number,
            "op": op.name,
            "circular buffers": op.circular_buffer_bytes,
            "l1": l1,
            "l1 %": _percent(l1, capacity[MemorySpace.L1]),
            "dram": dram * capacity[MemorySpace.DRAM].banks,
            "dram %": _percent(dram, capacity[MemorySpace.DRAM]),
            "location": op.location,
        }


def _percent(nbytes: int, space: Memory) -> float:
    return round(100 * nbytes / max(space.end - space.base, 1), 2)


_DEPTH = 2
"""Number of module names in a row of `training`."""


def training_memory(binary: Binary) -> list[dict[str, Any]]:
    """Return the memory of a training step by module: parameters, optimizer state, activations, gradients."""
    return [
        {"function": function.name, **row} for function in binary.functions for row in step_memory(function, _DEPTH)
    ]


def weights(binary: Binary) -> list[dict[str, Any]]:
    """Return every weight with the hash of its values."""
    return [_weight(w) for w in binary.weights.values()]


def _weight(weight: Weight) -> dict[str, Any]:
    return {"name": weight.name, "type": str(weight.type), "bytes": weight.type.nbytes, "sha256": weight.sha256}


def ir(binary: Binary) -> dict[str, str]:
    """Return the IR by stage, if compiled with `--keep-ir`."""
    return dict(binary.stages)


def only(binary: Binary, function: Function) -> Binary:
    """Return the program with one function and its weights."""
    weights = {function.tensors[i].holds.weight for i in function.inputs} & binary.weights.keys()
    return replace(binary, functions=(function,), weights={n: w for n, w in binary.weights.items() if n in weights})


SECTIONS: dict[str, Callable[[Binary], Any]] = {
    "summary": summary,
    "system-desc": system_desc,
    "ops": ops,
    "tensors": tensors,
    "memory": memory,
    "training": training_memory,
    "weights": weights,
    "ir": ir,
}

ABSENT = {
    "training": "it is not a step of training, which `ttstack compile --train` makes",
    "weights": "it has no weights",
    "ir": "it holds no IR: `ttstack compile --keep-ir` puts it in",
}
"""Messages for parts that a program does not have."""
