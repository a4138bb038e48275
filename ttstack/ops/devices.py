"""A mesh of devices, and what it means for an op that their values meet in it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ttstack.ops.base import Op
from ttstack.ops.shapes import expect

Groups = tuple[tuple[int, ...], ...]
"""Devices that exchange values with each other, in the order of their shares."""

AXES = 2
"""A mesh has rows and columns of devices."""


@dataclass(frozen=True)
class Mesh:
    """Devices in rows and columns, numbered row by row."""

    shape: tuple[int, ...] = (1, 1)

    @property
    def size(self) -> int:
        """Number of devices."""
        return math.prod(self.shape)

    def extent(self, axis: int | None) -> int:
        """Devices along an axis; all of them where None."""
        return self.size if axis is None else self.shape[axis]

    def position(self, device: int, axis: int | None) -> int:
        """Where a device stands along an axis; its own number where None."""
        return device if axis is None else device // math.prod(self.shape[axis + 1 :]) % self.shape[axis]

    def groups(self, axis: int | None) -> Groups:
        """The devices that differ in nothing but their position along the axis; all where None."""
        found: dict[tuple[int, ...], list[int]] = {}
        for device in range(self.size):
            rest = tuple(self.position(device, a) for a in range(len(self.shape)) if axis not in (a, None))
            found.setdefault(rest, []).append(device)
        return tuple(map(tuple, found.values()))

    def __str__(self) -> str:
        return "x".join(map(str, self.shape))


class MeshOp(Op):
    """An op that is one with the same op on the other devices: it reads their values, or its own place among them."""

    spans_mesh: ClassVar[bool] = True
    rounds: ClassVar[int] = 1
    """Times that shares circulate, one after the other."""
    reducing: ClassVar[int] = 0
    """Those of them in which shares are reduced on their way."""
    by_rows: ClassVar[bool] = False
    """Whether rows go without what fills their tiles."""

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` with both values where the op does not fit the mesh."""

    def groups(self, mesh: Mesh) -> Groups:
        """The devices that exchange values; none where nothing goes from device to device."""
        raise NotImplementedError(f"{type(self).__name__}.groups")

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 depends on it in some ops
        """What each device passes on to all others of its group in a round, as a share of the first operand."""
        return 0.0

    def sent_shares(self, mesh: Mesh) -> Mapping[tuple[int, int], float]:  # noqa: ARG002 depends on it in some ops
        """What goes from one device to another, as a share of the first operand."""
        return {}

    @property
    def turns(self) -> int:
        """Transfers of what is sent that follow one another."""
        return 1


def check_axis(axis: int | None) -> None:
    """Raise `ValueError` where a mesh has no such axis."""
    expect(axis is None or 0 <= axis < AXES, f"cluster_axis is {axis}, the axes of a mesh are 0 and 1")


def check_rows(name: str, rows: Sequence[Sequence[int]], width: int | None = None) -> None:
    """Raise `ValueError` where rows of device numbers differ in length or hold numbers that no device has."""
    for row in rows:
        want = len(rows[0]) if width is None else width
        expect(len(row) == want, f"{name} has a row {list(row)} of {len(row)} devices, expected {want}")
        expect(min(row, default=0) >= 0, f"{name} has a row {list(row)}, devices are numbered from 0")


def check_once(name: str, devices: Sequence[int]) -> None:
    """Raise `ValueError` where a device is named twice."""
    twice = next((d for i, d in enumerate(devices) if d in devices[:i]), None)
    expect(twice is None, f"{name} names device {twice} twice in {list(devices)}")


def check_devices(name: str, devices: Sequence[int], mesh: Mesh, *, all_of_them: bool) -> None:
    """Raise `ValueError` where a device is not in the mesh, or left out of it."""
    worst = max(devices, default=0)
    expect(worst < mesh.size, f"{name} names device {worst}, the mesh {mesh} has {mesh.size} devices")
    left = sorted(set(range(mesh.size)) - set(devices))
    expect(not all_of_them or not left, f"{name} leaves out device {left[0] if left else 0} of the {mesh} mesh")
