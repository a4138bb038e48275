"""What a compiled function takes and gives: an attribute of the function through all phases, and JSON in the object."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.ops.types import DType, TensorType, storage_of

INTERFACE = "ttstack.interface"
"""The attribute that holds it."""

VERSION = 1
"""The calling convention: pointers to weights, inputs, outputs and updated values; a number, 0 for success."""


@dataclass(frozen=True)
class NamedTensor:
    """A tensor that goes in or comes out: name, kind (input, parameter or output), type."""

    name: str
    kind: str
    type: TensorType

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of its elements."""
        return self.type.dtype.numpy


@dataclass(frozen=True)
class FunctionInterface:
    """One function."""

    name: str
    arguments: tuple[NamedTensor, ...]
    results: tuple[NamedTensor, ...]
    updated: tuple[int, ...] = ()
    """Arguments that it gives back as they are afterwards, by position."""
    checked: Mapping[int, str] = field(default_factory=dict[int, str])
    """Names of the ops that look at indices, by the number that the function returns where one is outside."""

    @cached_property
    def inputs(self) -> tuple[NamedTensor, ...]:
        """What the caller gives."""
        return tuple(a for a in self.arguments if a.kind == "input")

    @cached_property
    def parameters(self) -> tuple[NamedTensor, ...]:
        """What comes from the weights file."""
        return tuple(a for a in self.arguments if a.kind != "input")

    @cached_property
    def outputs(self) -> tuple[NamedTensor, ...]:
        """Results, then what is given back."""
        return (*self.results, *(self.arguments[i] for i in self.updated))

    def to_json(self) -> str:
        """As text, which `from_json` reads."""
        return json.dumps(
            {
                "name": self.name,
                "arguments": [_listed(a) for a in self.arguments],
                "results": [_listed(a) for a in self.results],
                "updated": list(self.updated),
                "checked": {str(k): v for k, v in self.checked.items()},
            },
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(text: str) -> "FunctionInterface":
        """What `to_json` wrote."""
        found = json.loads(text)
        return FunctionInterface(
            found["name"],
            tuple(map(_argument, found["arguments"])),
            tuple(map(_argument, found["results"])),
            tuple(found["updated"]),
            {int(k): v for k, v in found["checked"].items()},
        )


def symbol(prefix: str, name: str) -> str:
    """The C name of a function."""
    return f"{prefix}_{c_name(name)}"


def c_name(name: str) -> str:
    """A name as C takes it."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def weights_of(interfaces: list[FunctionInterface]) -> dict[str, int]:
    """Places in the table of weights, by name: those of all functions, larger elements first, each once."""
    found = {p.name: p for interface in interfaces for p in interface.parameters}
    ordered = sorted(found.values(), key=lambda p: -p.type.dtype.row_major_bytes)
    return {p.name: i for i, p in enumerate(ordered)}


def _listed(a: NamedTensor) -> list[Any]:
    return [a.name, a.kind, list(a.type.shape), str(storage_of(a.type.dtype))]


def _argument(listed: list[Any]) -> NamedTensor:
    name, kind, shape, dtype = listed
    return NamedTensor(name, kind, TensorType(tuple(shape), DType(dtype)))
