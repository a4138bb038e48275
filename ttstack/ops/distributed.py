"""Normalization of rows that are divided over devices, which exchange only statistics."""

from dataclasses import replace
from typing import ClassVar

from ttstack.ops.attributes import F32, Ui32
from ttstack.ops.devices import Groups, Mesh, MeshOp, check_axis
from ttstack.ops.loop_nests import identity_map
from ttstack.ops.normalization import LayerNorm, RmsNorm, TrailingNorm
from ttstack.ops.shapes import expect
from ttstack.ops.types import TILE, TensorType
from ttstack.ops.work_estimate import WorkEstimate


class DistributedNorm(MeshOp):
    """Normalize `input + residual` along the last dimension, which is divided over the devices along the axis."""

    op_code = "LayerNormDeviceOperation"
    alone: ClassVar[type[TrailingNorm]]
    """The normalization of rows on one device."""
    statistics: ClassVar[int]
    """Number of sums for each row that devices exchange."""
    input: TensorType
    weight: TensorType | None = None
    cluster_axis: Ui32
    epsilon: F32 = 1e-5

    @property
    def local(self) -> TrailingNorm:
        """The normalization of the device's own shard."""
        return self.alone(
            input=self.input,
            weight=self.weight,
            bias=getattr(self, "bias", None),
            normalized_shape=self.input.shape[-1:],
            epsilon=self.epsilon,
        )

    @property
    def added(self) -> TensorType | None:
        """The residual."""
        return getattr(self, "residual")  # noqa: B009 a field of every subclass, after the operands that differ

    def infer(self) -> TensorType:
        """Return the operand's type."""
        check_axis(self.cluster_axis)
        expect(self.input.rank > 0, f"input is {self.input}, expected a dimension to normalise")
        same = self.added is None or self.added == self.input
        expect(same, f"residual is {self.added}, expected {self.input}")
        return self.local.infer()

    def groups(self, mesh: Mesh) -> Groups:
        """Return the groups of devices along the axis."""
        return mesh.groups(self.cluster_axis)

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 the same in every mesh
        """Return the size of one column of tiles, which holds the sums of each row, relative to the operand."""
        width = -(-self.input.shape[-1] // TILE)
        return self.statistics / max(width, 1)

    def flops(self) -> int:
        """Return the operations of the normalization, and one for each element of a residual."""
        return self.local.flops() + (0 if self.added is None else self.input.size)

    def dispatch(self) -> WorkEstimate:
        """Estimate the loops of the normalization on one device, with a residual if present."""
        loops = self.local.kernel_work()
        assert loops is not None
        return loops if self.added is None else replace(loops, inputs=(*loops.inputs, identity_map(self.input.rank)))


class DistributedRmsNorm(DistributedNorm, mnemonic="distributed_rms_norm"):
    """`rms_norm` of rows that are divided over devices."""

    alone = RmsNorm
    statistics = 1
    residual: TensorType | None = None


class DistributedLayerNorm(DistributedNorm, mnemonic="distributed_layer_norm"):
    """`layer_norm` of rows that are divided over devices."""

    alone = LayerNorm
    statistics = 2
    bias: TensorType | None = None
    residual: TensorType | None = None
