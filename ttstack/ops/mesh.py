"""Movement of tensors between the host and the devices of a mesh, and slices of replicated tensors."""

import math
from collections.abc import Sequence
from typing import ClassVar

from ttstack.ops.attributes import DenseI64, ShardDirection, ShardType, Si32, Ui32
from ttstack.ops.collective import Collective, Resized
from ttstack.ops.devices import AXES, Mesh
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType


class MeshPartition(Resized, mnemonic="mesh_partition"):
    """Take each device's own slice, along `dim`, of a tensor that all devices along the axis, or of the mesh, have."""

    op_code = "SliceDeviceOperation"
    dim: Si32
    cluster_axis: Ui32 | None = None


class MeshShard(Collective, mnemonic="mesh_shard"):
    """Distribute a tensor of the host over the devices of the mesh (`full_to_shard`), or collect it from them.

    With `devices`, each device has a shard: `shard_dims` gives, for each axis of the mesh, the dimension that is
    divided over it (-1: none), or one entry for a mesh of one axis, and `shard_shape` is the number of shards of each
    dimension. `identity` is the same for a tensor that is already on the devices. With `replicate`, all devices have
    the full tensor. With `maximal`, the first device has the full tensor and the others have zeros; the first device's
    tensor is collected.
    """

    TYPES: ClassVar[tuple[str, ...]] = ("replicate", "maximal", "devices", "identity")
    DIRECTIONS: ClassVar[tuple[str, ...]] = ("full_to_shard", "shard_to_full")
    op_code = "CopyDeviceOperation"
    shard_type: ShardType
    shard_direction: ShardDirection
    shard_shape: DenseI64
    shard_dims: DenseI64

    @property
    def divides(self) -> bool:
        """True if devices have shards of the tensor, not all of it."""
        whole = set(self.shard_shape) <= {1} and set(self.shard_dims) <= {-1}
        return self.shard_type in ("devices", "identity") and not whole

    @property
    def to_devices(self) -> bool:
        """True if values go from the host to the mesh."""
        return self.shard_direction == "full_to_shard"

    def infer(self) -> TensorType:
        """Return the type of a shard, or of the full tensor."""
        for name, known in (("shard_type", self.TYPES), ("shard_direction", self.DIRECTIONS)):
            got = getattr(self, name)
            expect(got in known, f"{name} is '{got}', expected one of {', '.join(known)}")
        if not self.divides:
            return self.input
        self._check_parts()
        shape = tuple(
            self._part(d, extent, parts)
            for d, (extent, parts) in enumerate(zip(self.input.shape, self.shard_shape, strict=True))
        )
        return self.input.with_shape(shape)

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` unless each dimension has as many shards as devices along its axes."""
        if not self.divides:
            return
        dims = dims_by_axis(self.shard_dims)
        expect(len(dims) == AXES, f"shard_dims {list(dims)} has no entry for each axis of {mesh}")
        for d, parts in enumerate(self.shard_shape):
            axes = [a for a, dim in enumerate(dims) if dim == d]
            count = math.prod(mesh.extent(a) for a in axes)
            which = f"axes {axes} of the mesh {mesh} have" if axes else f"no axis of the mesh {mesh} has"
            expect(parts == count, f"shard_shape has {parts} parts of dimension {d}, {which} {count} devices")

    def holders(self, mesh: Mesh) -> tuple[int, ...]:
        """Return the devices that host values go to, or come from."""
        if self.to_devices:
            return (0,) if self.shard_type == "maximal" else tuple(range(mesh.size))
        if not self.divides:
            return (0,)
        repeated = [a for a, dim in enumerate(dims_by_axis(self.shard_dims)) if dim < 0]
        return tuple(d for d in range(mesh.size) if all(mesh.position(d, a) == 0 for a in repeated))

    def _part(self, d: int, extent: int, parts: int) -> int:
        if not self.to_devices:
            return extent * parts
        expect(extent % parts == 0, f"input has {extent} along dimension {d}, which {parts} parts do not divide")
        return extent // parts

    def _check_parts(self) -> None:
        rank, dims, parts = self.input.rank, self.shard_dims, self.shard_shape
        expect(len(parts) == rank, f"shard_shape {list(parts)} has {len(parts)} entries, input has rank {rank}")
        expect(min(parts, default=1) > 0, f"shard_shape is {list(parts)}, every dimension has at least 1 part")
        expect(len(dims) <= AXES, f"shard_dims {list(dims)} has {len(dims)} entries, a mesh has {AXES} axes")
        for d in dims:
            expect(-1 <= d < rank, f"shard_dims {list(dims)} names dimension {d}, input has rank {rank}")


def dims_by_axis(shard_dims: Sequence[int]) -> tuple[int, ...]:
    """Return the dimension that each axis of the mesh divides; a single entry is for all devices in one row."""
    return (*shard_dims,) * (AXES if len(shard_dims) == 1 else 1)
