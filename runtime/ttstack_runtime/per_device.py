"""Values on the devices of a mesh: one array where all devices hold the same, else one for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from ttstack.ops import OPS
from ttstack.ops.devices import Mesh
from ttstack.program.records import Function
from ttstack_runtime.kernels.table import Array, Kernel


@dataclass(frozen=True, slots=True)
class PerDevice:
    """The arrays of all devices, in the order of the mesh."""

    arrays: tuple[Array, ...]


Value: TypeAlias = Array | PerDevice


def each(function: Callable[[Array], Array], value: Value) -> Value:
    """The function's values, device by device; called once where all devices hold the same."""
    return PerDevice(tuple(map(function, value.arrays))) if isinstance(value, PerDevice) else function(value)


def on_all_devices(kernel: Kernel) -> Kernel:
    """The kernel run on each device by itself; once where all operands are the same on all of them."""

    def run(*operands: Any, **attributes: Any) -> Any:
        count = next((len(x.arrays) for x in operands if isinstance(x, PerDevice)), None)
        if count is None:
            return kernel(*operands, **attributes)
        made = [kernel(*(_of(x, d) for x in operands), **attributes) for d in range(count)]
        if isinstance(made[0], tuple):
            return tuple(map(PerDevice, zip(*made, strict=True)))
        return PerDevice(tuple(made))

    return run


def across(kernel: Kernel, mesh: Mesh) -> Kernel:
    """The kernel of an op that spans the mesh, on values: devices that share an array then hold the same."""

    def run(*operands: Value | None, **attributes: Any) -> Value | tuple[Value, ...]:
        shares = [None if x is None else [_of(x, d) for d in range(mesh.size)] for x in operands]
        made: Any = kernel(*shares, mesh=mesh, **attributes)
        if not isinstance(made, tuple):
            return _value(made)
        several = cast("tuple[Sequence[Array], ...]", made)
        return tuple(map(_value, several))

    return run


def same_everywhere(value: Value) -> Array | None:
    """The array that all devices hold; None where they hold different ones."""
    if not isinstance(value, PerDevice):
        return value
    first, *others = value.arrays
    return first if all(np.array_equal(first, x, equal_nan=first.dtype.kind == "f") for x in others) else None


def divided_tensors(function: Function) -> frozenset[int]:
    """Tensors of which devices can hold different values."""
    found: set[int] = set()
    for operation in function.operations:
        back = operation.attributes.get("shard_direction") == "shard_to_full"
        if not back and (OPS[operation.name].spans_mesh or found.intersection(operation.operands)):
            found.update(operation.results)
    return frozenset(found)


def _of(value: Any, device: int) -> Any:
    return value.arrays[device] if isinstance(value, PerDevice) else value


def _value(shares: Sequence[Array]) -> Value:
    return shares[0] if all(x is shares[0] for x in shares) else PerDevice(tuple(shares))
