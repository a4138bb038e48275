"""Normalisation of rows that are divided over devices: statistics are exchanged, values are not."""

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
    """The norm of `input + residual` along the last dimension, which is divided over the devices along the axis."""

    op_code = "LayerNormDeviceOperation"
    alone: ClassVar[type[TrailingNorm]]
    """The norm of rows that one device has."""
    statistics: ClassVar[int]
    """Sums that a device needs of the others, for each row."""
    input: TensorType
    weight: TensorType | None = None
    cluster_axis: Ui32
    epsilon: F32 = 1e-5

    @property
    def local(self) -> TrailingNorm:
        """What a device does on its own part."""
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
        """The operand's type."""
        check_axis(self.cluster_axis)
        expect(self.input.rank > 0, f"input is {self.input}, expected a dimension to normalise")
        same = self.added is None or self.added == self.input
        expect(same, f"residual is {self.added}, expected {self.input}")
        return self.local.infer()

    def groups(self, mesh: Mesh) -> Groups:
        """The devices along the axis."""
        return mesh.groups(self.cluster_axis)

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 the same in every mesh
        """A column of tiles with the sums of each row."""
        width = -(-self.input.shape[-1] // TILE)
        return self.statistics / max(width, 1)

    def flops(self) -> int:
        """Those of the norm, and one for each element of a residual."""
        return self.local.flops() + (0 if self.added is None else self.input.size)

    def dispatch(self) -> WorkEstimate:
        """Rows stay in a core, as in the norm of one device."""
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
