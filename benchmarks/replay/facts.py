"""What a compiled program is, as labelled values that outlive renaming: a label is only ever shown, never compared."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from ttstack.cost import predict_calls
from ttstack.device.program_config import config_fields
from ttstack.program.records import Binary, Function, Operation, Tensor


class Block(NamedTuple):
    """An op of a function, or the function itself."""

    title: str
    """Function, mnemonic and place in the source."""
    facts: Sequence[tuple[str, str]]
    """Label and value, in an order that never changes."""
    groups: Mapping[str, Mapping[str, str]]
    """Values whose own names are in the code: compared as a bag."""


def blocks(binary: Binary) -> Iterator[Block]:
    """Each function and then its ops, in order."""
    for function in binary.functions:
        yield _head(function)
        makers = {i: function.tensors[i].name for i in function.inputs}
        for operation in function.operations:
            yield _op(binary, function, operation, makers)
            title = f"{operation.name} {operation.location}"
            makers |= {tensor: f"{title} #{i}" for i, tensor in enumerate(operation.results)}


def _head(function: Function) -> Block:
    facts = [("bound", "none" if function.bound_ns is None else _number(function.bound_ns))]
    for i in function.inputs:
        tensor = function.tensors[i]
        facts += _tensor(f"argument {tensor.name}", tensor)
    for output in function.outputs:
        facts += _tensor(f"output {output.name}", function.tensors[output.tensor])
    return Block(f"function {function.name}", facts, {})


def _op(binary: Binary, function: Function, operation: Operation, makers: Mapping[int, str]) -> Block:
    facts = [("cores", str(operation.grid)), ("spread", str(operation.spread)), ("fidelity", str(operation.fidelity))]
    facts += [("bytes of buffers", str(operation.circular_buffer_bytes))]
    for i, tensor in enumerate(operation.operands):
        facts.append((f"operand {i}", "none" if tensor is None else makers[tensor]))
        facts += [] if tensor is None else _tensor(f"operand {i}", function.tensors[tensor])
    for i, tensor in enumerate(operation.results):
        facts += _tensor(f"result {i}", function.tensors[tensor])
    cost = predict_calls(function.device_op(operation), binary.chip(function), binary.system_desc)
    facts += [("ns", _number(cost.total_ns)), ("largest term", cost.largest_term)]
    facts += [("FLOPs", str(cost.flops)), ("bytes", f"{cost.dram_bytes} DRAM, {cost.noc_bytes} NoC")]
    groups = {
        "attribute": {name: neutral(value) for name, value in operation.attributes.items()},
        "configuration": {name: neutral(value) for name, value in config_fields(operation.config).items()},
        "ns": {name: _number(ns) for name, ns in cost.terms.items() if ns},
    }
    return Block(f"{function.name}: {operation.name} {operation.location}", facts, groups)


def _tensor(label: str, tensor: Tensor) -> list[tuple[str, str]]:
    shared = tensor.alias is not None
    return [
        (f"{label} type", str(tensor.type)),
        (f"{label} layout", str(tensor.layout)),
        (f"{label} address", f"{tensor.address:#x}{' shared' if shared else ''}"),
    ]


def neutral(value: Any) -> str:
    """A value without the names of the records that hold it."""
    if isinstance(value, np.ndarray):
        return digest([value])
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return neutral([getattr(value, field.name) for field in fields(value)])
    if isinstance(value, Mapping):
        return f"({', '.join(sorted(map(neutral, value.values())))})"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"({', '.join(map(neutral, value))})"
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    """With the digits that a sum in another order leaves as they are."""
    return f"{value:.12g}"


def digest(arrays: Sequence[np.ndarray]) -> str:
    """A digest of element types, shapes and bits."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]
