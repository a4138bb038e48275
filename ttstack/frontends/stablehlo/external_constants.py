"""Large constants as function arguments, whose elements stay outside of the IR."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.dialects.elements import RESOURCE, read_elements
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

INLINE_BYTES = 1024
"""Constants up to this size stay in the module."""


class ExternalConstants:
    """The constants of a module that become arguments, by name, in order of use.

    Ops have their elements in `attribute`.
    """

    def __init__(self, resources: Mapping[str, memoryview], attribute: str = "value") -> None:
        self._attribute = attribute
        self.values: dict[str, np.ndarray[Any, Any]] = {}
        self._resources = resources
        self._names: dict[ir.Attribute, str] = {}
        self._block: ir.Block | None = None
        self._arguments: dict[str, ir.Value] = {}

    def enter(self, block: ir.Block) -> None:
        """Add later weights as arguments of this block."""
        self._block, self._arguments = block, {}

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Add weights as arguments of this block, until it is left."""
        outer = self._block, self._arguments
        self.enter(block)
        yield
        self._block, self._arguments = outer

    def name_of(self, value: ir.Value) -> str | None:
        """Return the name of the weight that is this argument of the block; None for any other value."""
        return next((name for name, argument in self._arguments.items() if argument == value), None)

    def parameter(self, name: str, like: ir.Value) -> ir.Value:
        """Return the argument of the block for a weight by name, of the type of `like`."""
        if name not in self._arguments:
            assert self._block is not None
            self._arguments[name] = self._block.add_argument(like.type, like.location)
        return self._arguments[name]

    @property
    def in_use(self) -> tuple[str, ...]:
        """The names of the weights that are arguments of the block, in order."""
        return tuple(self._arguments)

    def argument(self, op: ir.Operation) -> ir.Value | None:
        """Return the argument for a constant op; None for one that is small or a splat."""
        attribute = op.attributes[self._attribute]
        if isinstance(attribute, ir.DenseElementsAttr):
            count = ir.RankedTensorType(attribute.type)
            if attribute.is_splat or not isinstance(count.element_type, ir.IntegerType | ir.FloatType):
                return None
            if not _is_large(attribute):
                return None
        name = self._names.get(attribute) or self._named(attribute, op)
        if name not in self._arguments:
            assert self._block is not None
            self._arguments[name] = self._block.add_argument(attribute.type, op.location)
        return self._arguments[name]

    def _named(self, attribute: ir.Attribute, op: ir.Operation) -> str:
        resource = None if isinstance(attribute, ir.DenseElementsAttr) else RESOURCE.match(str(attribute))
        name = resource[1].strip('"') if resource else f"constant.{len(self.values)}"
        self.values[name] = self._resource(name, attribute, op) if resource else read_elements(attribute)
        self._names[attribute] = name
        return name

    def _resource(self, name: str, attribute: ir.Attribute, op: ir.Operation) -> np.ndarray[Any, Any]:
        t = _type(op, attribute)
        data = self._resources.get(name)
        if data is None or len(data) != t.nbytes:
            got = "no data" if data is None else f"{len(data)} bytes"
            raise SourceError(
                f"resource '{name}' has {got} for {t}, which takes {t.nbytes}",
                loc=read_location(op.location) or None,
                hint="export the model again with its resources, or give the constant as dense<...>",
            )
        return np.frombuffer(data, t.dtype.numpy).reshape(t.shape)


def _is_large(attribute: ir.Attribute) -> bool:
    """Return True if the elements should leave the module; those of unsupported types stay, and may be converted."""
    try:
        return read_type(attribute.type).nbytes > INLINE_BYTES
    except ValueError:
        return False


def _type(op: ir.Operation, attribute: ir.Attribute) -> TensorType:
    try:
        return read_type(attribute.type)
    except ValueError as e:
        raise UnsupportedOpError(f"`{op.name}`: {e}", loc=read_location(op.location) or None) from e
