"""Shardings in XLA's syntax: `{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}`.

The grammar is that of `HloSharding::ToString` (XLA, `xla/hlo/ir/hlo_sharding.cc`).
"""

import math
import re
from dataclasses import dataclass
from itertools import product

import numpy as np

from ttstack.ops.devices import AXES, Mesh

_LIST = r"([\d,]+)"
_TILED = re.compile(rf"\{{devices=\[{_LIST}\](?:<=\[{_LIST}\](?:T\({_LIST}\))?|{_LIST})( last_tile_dim_replicate)?\}}")

MOST_DEVICES = 1024
"""Maximum size of a mesh; larger ones are not expanded."""


@dataclass(frozen=True)
class Sharding:
    """The number of shards of each dimension of a tensor, and the shard of each device; empty if replicated."""

    parts: tuple[int, ...]
    places: tuple[tuple[int, ...], ...] = ()
    """For each device, the index of its shard in each dimension."""

    def dims(self, mesh: Mesh) -> tuple[int, ...] | None:
        """Return the dimension divided over each axis of the mesh (-1: none); None if there is none such."""
        if not self.places:
            return (-1,) * AXES
        if len(self.places) != mesh.size:
            return None
        choices = [range(-1, len(self.parts)) if mesh.extent(a) > 1 else (-1,) for a in range(AXES)]
        return next((dims for dims in product(*choices) if self._is_over(mesh, dims)), None)

    def _is_over(self, mesh: Mesh, dims: tuple[int, ...]) -> bool:
        places = [[0] * len(self.parts) for _ in range(mesh.size)]
        for device, place in enumerate(places):
            for axis, dim in enumerate(dims):
                if dim >= 0:
                    place[dim] = place[dim] * mesh.extent(axis) + mesh.position(device, axis)
        return tuple(map(tuple, places)) == self.places


def read_sharding(text: str, rank: int) -> Sharding:
    """Parse the sharding of a tensor of that rank.

    Raises:
        ValueError: it is neither replicated nor equal shards on all devices.
    """
    if text == "{replicated}":
        return Sharding((1,) * rank)
    found = _TILED.fullmatch(text)
    if found is None:
        raise ValueError(f"sharding '{text}' neither divides a tensor over all devices nor gives each the whole")
    shape, devices = _numbers(found[1]), _devices(*found.groups()[1:4])
    parts = shape[:-1] if found[5] else shape
    numbered = len(devices) == math.prod(shape) and sorted(devices) == list(range(len(devices)))
    if len(parts) != rank or 0 in parts or not numbered:
        raise ValueError(f"sharding '{text}' is not one of a tensor of rank {rank}")
    places = dict(zip(devices, np.ndindex(*shape), strict=True))
    return Sharding(parts, tuple(places[d][:rank] for d in range(len(places))))


def _devices(iota: str | None, order: str | None, listed: str | None) -> tuple[int, ...]:
    """Return the devices in the order of their shards: a list, or all in rows with permuted dimensions."""
    if listed or not iota:
        return _numbers(listed or "")
    shape, turned = _numbers(iota), _numbers(order) if order else range(len(_numbers(iota)))
    if math.prod(shape) > MOST_DEVICES or sorted(turned) != list(range(len(shape))):
        return ()
    return tuple(int(d) for d in np.arange(math.prod(shape)).reshape(shape).transpose(turned).flat)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split(",") if n)
