"""Meshes of devices, and ops that exchange values in a mesh."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ttstack.ops.base import Op
from ttstack.ops.shapes import expect

Groups = tuple[tuple[int, ...], ...]
"""Groups of devices that exchange values, in the order of their shares."""

AXES = 2
"""Number of axes of a mesh: rows and columns of devices."""


@dataclass(frozen=True)
class Mesh:
    """Devices in rows and columns, numbered row by row."""

    shape: tuple[int, ...] = (1, 1)

    @property
    def size(self) -> int:
        """Number of devices."""
        return math.prod(self.shape)

    def extent(self, axis: int | None) -> int:
        """Return the number of devices along an axis; of all devices for None."""
        return self.size if axis is None else self.shape[axis]

    def position(self, device: int, axis: int | None) -> int:
        """Return the position of a device along an axis; its number for None."""
        return device if axis is None else device // math.prod(self.shape[axis + 1 :]) % self.shape[axis]

    def groups(self, axis: int | None) -> Groups:
        """Return groups of devices that differ only in their position along the axis; one group of all for None."""
        found: dict[tuple[int, ...], list[int]] = {}
        for device in range(self.size):
            rest = tuple(self.position(device, a) for a in range(len(self.shape)) if axis not in (a, None))
            found.setdefault(rest, []).append(device)
        return tuple(map(tuple, found.values()))

    def __str__(self) -> str:
        return "x".join(map(str, self.shape))


class MeshOp(Op):
    """An op that exchanges values with, or depends on its position among, the same ops on other devices."""

    spans_mesh: ClassVar[bool] = True
    rounds: ClassVar[int] = 1
    """Number of sequential rounds in which shares circulate."""
    reducing: ClassVar[int] = 0
    """Number of those rounds that reduce shares on the way."""
    by_rows: ClassVar[bool] = False
    """Whether rows are sent without tile padding."""

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` with both values if the op does not fit the mesh."""

    def groups(self, mesh: Mesh) -> Groups:
        """Return the groups of devices that exchange values; none if no values are sent."""
        raise NotImplementedError(f"{type(self).__name__}.groups")

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 depends on it in some ops
        """Return the share of the first operand that each device sends to its whole group in a round."""
        return 0.0

    def sent_shares(self, mesh: Mesh) -> Mapping[tuple[int, int], float]:  # noqa: ARG002 depends on it in some ops
        """Return the share of the first operand that is sent for each pair of source and target."""
        return {}

    @property
    def turns(self) -> int:
        """The number of transfers in a row."""
        return 1


def check_axis(axis: int | None) -> None:
    """Raise `ValueError` if a mesh does not have this axis."""
    expect(axis is None or 0 <= axis < AXES, f"cluster_axis is {axis}, the axes of a mesh are 0 and 1")


def check_rows(name: str, rows: Sequence[Sequence[int]], width: int | None = None) -> None:
    """Raise `ValueError` if rows of device numbers differ in length or contain invalid numbers."""
    for row in rows:
        want = len(rows[0]) if width is None else width
        expect(len(row) == want, f"{name} has a row {list(row)} of {len(row)} devices, expected {want}")
        expect(min(row, default=0) >= 0, f"{name} has a row {list(row)}, devices are numbered from 0")


def check_once(name: str, devices: Sequence[int]) -> None:
    """Raise `ValueError` if a device occurs twice."""
    twice = next((d for i, d in enumerate(devices) if d in devices[:i]), None)
    expect(twice is None, f"{name} names device {twice} twice in {list(devices)}")


def check_devices(name: str, devices: Sequence[int], mesh: Mesh, *, all_of_them: bool) -> None:
    """Raise `ValueError` if a device is not in the mesh, or is missing."""
    worst = max(devices, default=0)
    expect(worst < mesh.size, f"{name} names device {worst}, the mesh {mesh} has {mesh.size} devices")
    left = sorted(set(range(mesh.size)) - set(devices))
    expect(not all_of_them or not left, f"{name} leaves out device {left[0] if left else 0} of the {mesh} mesh")
