"""Collective ops: exchanges of values between devices of a mesh."""

from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar

from ttstack.ops.attributes import DeviceTable, ReduceType, ResultType, Si32, Ui32
from ttstack.ops.base import define
from ttstack.ops.devices import Groups, Mesh, MeshOp, check_axis, check_devices, check_once, check_rows
from ttstack.ops.loop_nests import movement
from ttstack.ops.shapes import axis, expect, from_front
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

REDUCTIONS = {"sum": "add", "max": "maximum", "min": "minimum"}
"""Reductions over devices in TTIR, and the tile op of each."""


class Collective(MeshOp):
    """A collective exchange of one tensor between devices."""

    input: TensorType

    def infer(self) -> TensorType:
        """Return the operand's type."""
        return self.input

    def groups(self, mesh: Mesh) -> Groups:  # noqa: ARG002 of other ops
        """Return no groups: a tensor goes from one device to another, or nowhere."""
        return ()

    def flops(self) -> int:
        """None: nothing is computed."""
        return 0

    def dispatch(self) -> WorkEstimate:
        """Estimate a device's reads and writes of its own memory."""
        return movement([self.input], self.results)


def _tile_op(reduce_type: str) -> str:
    """Return the tile op of a reduction over devices; raise `ValueError` for an unknown name."""
    expect(reduce_type in REDUCTIONS, f"reduce_type is '{reduce_type}', expected one of {', '.join(REDUCTIONS)}")
    return REDUCTIONS[reduce_type]


class Resized(Collective):
    """A collective whose result is larger or smaller than the operand in one dimension, by a whole factor."""

    dim_name: ClassVar[str] = "dim"
    grows: ClassVar[bool] = False
    cluster_axis: Ui32 | None
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type, which may differ from the operand's in one extent."""
        check_axis(self.cluster_axis)
        short, long = self._extents()
        at = axis(getattr(self, self.dim_name), self.input.rank, self.dim_name)
        expected = self.input.with_shape((*self.input.shape[:at], self.type.shape[at], *self.input.shape[at + 1 :]))
        expect(self.type == expected, f"result is {self.type}, expected {expected} from {self.input}")
        what = f"result {self.type.shape[at]}, input {self.input.shape[at]} along {self.dim_name} {at}"
        expect(long == short or (short > 0 and long % short == 0), f"{what}: neither is a multiple of the other")
        return self.type

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` unless the factor is the number of devices along the axis."""
        short, long = self._extents()
        count = mesh.extent(self.cluster_axis)
        along = "the mesh" if self.cluster_axis is None else f"axis {self.cluster_axis} of the mesh"
        want = short * count if self.grows else f"{long} / {count}"
        got = long if self.grows else short
        fits = long == short * count
        expect(fits, f"result has {got} along {self.dim_name}, {along} {mesh} has {count} devices: expected {want}")

    def groups(self, mesh: Mesh) -> Groups:
        """Return the groups of devices along the axis."""
        return mesh.groups(self.cluster_axis)

    def _extents(self) -> tuple[int, int]:
        """Return the smaller and the larger extent along the dimension."""
        at = axis(getattr(self, self.dim_name), self.input.rank, self.dim_name)
        expect(self.type.rank == self.input.rank, f"result has rank {self.type.rank}, input {self.input.rank}")
        before, after = self.input.shape[at], self.type.shape[at]
        return (before, after) if self.grows else (after, before)


class AllGather(Resized, mnemonic="all_gather"):
    """Concatenate the operands of all devices along the axis, in dimension `all_gather_dim`, on each device."""

    op_code = "AllGatherDeviceOperation"
    dim_name = "all_gather_dim"
    grows = True
    all_gather_dim: Si32
    cluster_axis: Ui32

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 the same in every mesh
        """Return 1: the whole operand circulates."""
        return 1.0


class ReduceScatter(Resized, mnemonic="reduce_scatter"):
    """Reduce the operands of all devices along the axis; each device keeps its slice of dimension `scatter_dim`."""

    op_code = "ReduceScatterDeviceOperation"
    dim_name = "scatter_dim"
    reducing = 1
    reduce_type: ReduceType
    scatter_dim: Si32
    cluster_axis: Ui32

    def infer(self) -> TensorType:
        """Return the declared type; raise `ValueError` for an unknown reduction."""
        _tile_op(self.reduce_type)
        return super().infer()

    def circulated_share(self, mesh: Mesh) -> float:
        """Return one slice for each device."""
        return 1 / mesh.extent(self.cluster_axis)

    def flops(self) -> int:
        """Return one for each element that is combined with another."""
        return self.input.size

    def dispatch(self) -> WorkEstimate:
        """Estimate the transfer with a reduction of every part."""
        return movement([self.input], self.results, _tile_op(self.reduce_type))


class AllReduction(Collective):
    """Reduce the operands of all devices along the axis element by element, with the result on each device."""

    op_code = "AllReduceAsyncDeviceOperation"
    rounds = 2
    reducing = 1
    reduce_type: ReduceType
    cluster_axis: Ui32

    def infer(self) -> TensorType:
        """Return the operand's type."""
        check_axis(self.cluster_axis)
        _tile_op(self.reduce_type)
        return self.input

    def groups(self, mesh: Mesh) -> Groups:
        """Return the groups of devices along the axis."""
        return mesh.groups(self.cluster_axis)

    def circulated_share(self, mesh: Mesh) -> float:
        """Return one slice for each device, reduced in the first round and gathered in the second."""
        return 1 / mesh.extent(self.cluster_axis)

    def flops(self) -> int:
        """Return one for each element."""
        return self.input.size

    def dispatch(self) -> WorkEstimate:
        """Estimate the transfer with a reduction of every part."""
        return movement([self.input], self.results, _tile_op(self.reduce_type))


define(AllReduction, "all_reduce", "The operands of all devices along the axis reduced, on each of them.")
define(AllReduction, "all_reduce_async", "`all_reduce` that the device's other kernels need not wait for.")


class CollectivePermute(Collective, mnemonic="collective_permute"):
    """Receive the operand of another device by pairs of source and target; zeros on devices that are not a target."""

    op_code = "AllGatherAsyncDeviceOperation"
    source_target_pairs: DeviceTable

    def infer(self) -> TensorType:
        """Return the operand's type; raise `ValueError` if a device sends or receives twice."""
        check_rows("source_target_pairs", self.source_target_pairs, 2)
        for side, what in enumerate(("sources", "targets")):
            check_once(f"source_target_pairs ({what})", [pair[side] for pair in self.source_target_pairs])
        return self.input

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` if a device is not in the mesh."""
        devices = [d for pair in self.source_target_pairs for d in pair]
        check_devices("source_target_pairs", devices, mesh, all_of_them=False)

    def sent_shares(self, mesh: Mesh) -> Mapping[tuple[int, int], float]:  # noqa: ARG002 the same in every mesh
        """Return the whole operand for each pair of source and target."""
        return {(source, target): 1.0 for source, target in self.source_target_pairs if source != target}


class InGroups(Collective):
    """A collective within groups of devices that the op lists."""

    replica_groups: DeviceTable

    def infer(self) -> TensorType:
        """Return the operand's type; raise `ValueError` if a device is in two groups."""
        check_rows("replica_groups", self.replica_groups)
        check_once("replica_groups", [d for group in self.replica_groups for d in group])
        return self.input

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` unless the groups contain every device of the mesh and no other."""
        check_devices("replica_groups", [d for g in self.replica_groups for d in g], mesh, all_of_them=True)


class CollectiveBroadcast(InGroups, mnemonic="collective_broadcast"):
    """Copy the operand of the first device of each group to all devices of the group."""

    op_code = "BroadcastDeviceOperation"

    def sent_shares(self, mesh: Mesh) -> Mapping[tuple[int, int], float]:  # noqa: ARG002 the same in every mesh
        """Return the whole operand for each device and the next device of its group."""
        return dict.fromkeys((pair for group in self.replica_groups for pair in pairwise(group)), 1.0)

    @property
    def turns(self) -> int:
        """Transfers in a row: each device of a group sends after the one before it."""
        return max((len(group) - 1 for group in self.replica_groups), default=0)


class AllToAll(InGroups, mnemonic="all_to_all"):
    """Split the operand along `split_dim`, send part i to device i of the group, and concatenate the received parts.

    Parts are concatenated along `concat_dim`, in the order of the group.
    """

    op_code = "AllToAllAsyncDeviceOperation"
    split_dim: Si32
    concat_dim: Si32
    split_count: Si32

    def infer(self) -> TensorType:
        """Return the type with one dimension divided and one multiplied by the number of parts."""
        super().infer()
        rank, count = self.input.rank, self.split_count
        split, joined = (from_front(getattr(self, name), rank, name) for name in ("split_dim", "concat_dim"))
        expect(count > 0, f"split_count is {count}, expected at least 1")
        extent = self.input.shape[split]
        expect(extent % count == 0, f"input has {extent} along split_dim {split}, which {count} parts do not divide")
        check_rows("replica_groups", self.replica_groups, count)
        shape = list(self.input.shape)
        shape[split] //= count
        shape[joined] *= count
        return self.input.with_shape(tuple(shape))

    def sent_shares(self, mesh: Mesh) -> Mapping[tuple[int, int], float]:  # noqa: ARG002 the same in every mesh
        """Return one part for each pair of devices of a group."""
        pairs = ((a, b) for group in self.replica_groups for a in group for b in group if a != b)
        return dict.fromkeys(pairs, 1 / self.split_count)
