"""The interface of a compiled function: an attribute in all phases, and JSON in the object file."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.ops.types import DType, TensorType, storage_of

INTERFACE = "ttstack.interface"
"""The name of the attribute."""

VERSION = 1
"""The calling convention: pointers to weights, inputs, outputs and updated values; returns 0 for success."""


@dataclass(frozen=True)
class NamedTensor:
    """An argument or a result: name, kind (input, parameter or output) and type."""

    name: str
    kind: str
    type: TensorType

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of its elements."""
        return self.type.dtype.numpy


@dataclass(frozen=True)
class FunctionInterface:
    """The interface of one function."""

    name: str
    arguments: tuple[NamedTensor, ...]
    results: tuple[NamedTensor, ...]
    updated: tuple[int, ...] = ()
    """Positions of arguments that the function updates and returns."""
    checked: Mapping[int, str] = field(default_factory=dict[int, str])
    """Names of ops that check indices, by the number that the function returns for an index out of range."""

    @cached_property
    def inputs(self) -> tuple[NamedTensor, ...]:
        """The arguments from the caller."""
        return tuple(a for a in self.arguments if a.kind == "input")

    @cached_property
    def parameters(self) -> tuple[NamedTensor, ...]:
        """The arguments from the weights file."""
        return tuple(a for a in self.arguments if a.kind != "input")

    @cached_property
    def outputs(self) -> tuple[NamedTensor, ...]:
        """The results, then updated arguments."""
        return (*self.results, *(self.arguments[i] for i in self.updated))

    def to_json(self) -> str:
        """Return the interface as JSON, for `from_json`."""
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
        """Parse the JSON of `to_json`."""
        found = json.loads(text)
        return FunctionInterface(
            found["name"],
            tuple(map(_argument, found["arguments"])),
            tuple(map(_argument, found["results"])),
            tuple(found["updated"]),
            {int(k): v for k, v in found["checked"].items()},
        )


def symbol(prefix: str, name: str) -> str:
    """Return the C name of a function."""
    return f"{prefix}_{c_name(name)}"


def c_name(name: str) -> str:
    """Return a valid C identifier for a name."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def weights_of(interfaces: list[FunctionInterface]) -> dict[str, int]:
    """Return the index in the table of weights by name, for all functions, larger elements first."""
    found = {p.name: p for interface in interfaces for p in interface.parameters}
    ordered = sorted(found.values(), key=lambda p: -p.type.dtype.row_major_bytes)
    return {p.name: i for i, p in enumerate(ordered)}


def _listed(a: NamedTensor) -> list[Any]:
    return [a.name, a.kind, list(a.type.shape), str(storage_of(a.type.dtype))]


def _argument(listed: list[Any]) -> NamedTensor:
    name, kind, shape, dtype = listed
    return NamedTensor(name, kind, TensorType(tuple(shape), DType(dtype)))
