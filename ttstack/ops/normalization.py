"""Normalization along trailing dimensions or channels."""

from dataclasses import replace

from ttstack.ops.attributes import F32, I32, I64, DenseI64
from ttstack.ops.base import Op
from ttstack.ops.kernels import CENTRED
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import rowwise
from ttstack.ops.loops import IndexingMap
from ttstack.ops.rows import RegionBuilder, over_rows
from ttstack.ops.shapes import axis, check_trailing, expect, from_front
from ttstack.ops.types import TILE, TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


class TrailingNorm(Op):
    """Normalize over the trailing dimensions `normalized_shape`, with an optional scale and shift.

    The input is `input + residual` if there is a residual.
    """

    op_code = "LayerNormDeviceOperation"
    computes = ("input", "residual")
    input: TensorType
    weight: TensorType | None = None
    bias: TensorType | None = None
    residual: TensorType | None = None
    normalized_shape: DenseI64
    epsilon: F32 = 1e-5

    @property
    def dims(self) -> tuple[int, ...]:
        """The normalized dimensions."""
        return tuple(range(self.input.rank - len(self.normalized_shape), self.input.rank))

    def infer(self) -> TensorType:
        """Return the operand's type."""
        count = len(self.normalized_shape)
        tail = self.input.shape[-count:] if count else ()
        fits = 0 < count <= self.input.rank and tail == tuple(self.normalized_shape)
        expect(
            fits,
            f"normalized_shape {list(self.normalized_shape)} is not the end of input {list(self.input.shape)}",
        )
        check_trailing("weight", self.weight, self.normalized_shape)
        check_trailing("bias", self.bias, self.normalized_shape)
        same = self.residual is None or self.residual == self.input
        expect(same, f"residual is {self.residual}, expected {self.input}")
        return self.input

    def add_residual(self, region: RegionBuilder) -> int:
        """Return the number of the normalized value: the input, or its sum with the residual."""
        return 0 if self.residual is None else region("add", 0, len(self.operands) - 1)

    def scale_rows(self, region: RegionBuilder, value: int) -> LoopNest:
        """Divide `value` by the root of the mean of its squares, then apply weight and bias."""
        squares = region("reduce_mean", region("multiply", value, value))
        root = region("rsqrt", region("add", squares, region("fill", value=self.epsilon)))
        value = region("multiply", value, root)
        if self.weight is not None:
            value = region("multiply", value, 1)
        if self.bias is not None:
            region("add", value, *self.operand_positions("bias"))
        return over_rows(self.operands, self.input, self.dims, region)


class LayerNorm(TrailingNorm, mnemonic="layer_norm"):
    """`(x - mean) / sqrt(variance + epsilon) * weight + bias`, where `x` is `input + residual`."""

    def flops(self) -> int:
        """Return seven for each element (mean, centring, square, mean, scaling, weight, bias), one for a residual."""
        return (7 + (self.residual is not None)) * self.input.size

    def dispatch(self) -> LoopNest:
        """Return loops that keep each normalised row in one core."""
        region = RegionBuilder(self.operands)
        x = self.add_residual(region)
        return self.scale_rows(region, region("subtract", x, region("reduce_mean", x)))


class RmsNorm(TrailingNorm, mnemonic="rms_norm"):
    """`x / sqrt(mean(x * x) + epsilon) * weight + bias`, where `x` is `input + residual`."""

    def flops(self) -> int:
        """Return four for each element: square, mean, scaling, weight; and one for a residual."""
        return (4 + (self.residual is not None)) * self.input.size

    def dispatch(self) -> LoopNest:
        """Return loops that keep each normalised row in one core."""
        region = RegionBuilder(self.operands)
        return self.scale_rows(region, self.add_residual(region))


class BatchNorm(Op):
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, with one value of each per index of `dimension`."""

    op_code = "BatchNormOperation"
    computes = ("operand",)
    operand: TensorType
    scale: TensorType
    offset: TensorType
    epsilon: F32
    dimension: I32

    def check_channels(self) -> TensorType:
        """Return the operand's type.

        Raise `ValueError` unless all other operands have one value per index of `dimension`.
        """
        expect(2 <= self.operand.rank <= 5, f"rank of operand is {self.operand.rank}, not 2 to 5")
        channels = self.operand.shape[from_front(self.dimension, self.operand.rank, "dimension")]
        for name in list(self.operand_specs())[1:]:
            got: TensorType = getattr(self, name)
            fits = got.rank > 0 and got.size == channels and channels in got.shape
            expect(fits, f"{name} has shape {list(got.shape)}, expected [{channels}], with any extents of 1")
        return self.operand


class BatchNormInference(BatchNorm, mnemonic="batch_norm_inference"):
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, with one value of each per index of `dimension`."""

    mean: TensorType
    variance: TensorType

    def infer(self) -> TensorType:
        """Return the operand's type."""
        return self.check_channels()

    def flops(self) -> int:
        """Return four for each element."""
        return 4 * self.operand.size

    def dispatch(self) -> WorkEstimate:
        """Estimate independent work on each tile."""
        work = [("subtract", 1), ("multiply", 2), ("add", 1)]
        return _beside(rowwise([self.operand], self.operand, [], work), operands=4)


class BatchNormTraining(BatchNorm, mnemonic="batch_norm_training"):
    """Normalization by the batch's own mean and biased variance over all dimensions but `dimension`.

    `batch_mean` and `batch_variance` are the running statistics, updated towards the batch's by `momentum`.
    """

    result_names = ("result", "batch_mean", "batch_variance")
    running_mean: TensorType
    running_variance: TensorType
    momentum: F32

    def infer(self) -> tuple[TensorType, ...]:
        """Return the operand's type and those of the running statistics."""
        return self.check_channels(), self.running_mean, self.running_variance

    def flops(self) -> int:
        """Return seven for each element: mean, centring, square, mean, scaling, scale, offset."""
        return 7 * self.operand.size

    def dispatch(self) -> WorkEstimate:
        """Estimate work in which the elements of one statistic stay in a core."""
        others = [d for d in range(self.operand.rank) if d != self.dimension]
        return _beside(rowwise([self.operand], self.operand, others, CENTRED), operands=4, results=2)


class GroupNorm(Op, mnemonic="group_norm"):
    """`(x - mean) / sqrt(variance + epsilon) * weight + bias`, with statistics of each sample's groups of channels.

    `input_mask` marks the columns of tiles of each group for the device, and changes no value. Weight and bias have a
    number for each channel, in one dimension or in rows of tiles, `[1, 1, C / 32, 32]`.
    """

    op_code = "GroupNormDeviceOperation"
    computes = ("input",)
    in_rows = ("weight", "bias")
    input: TensorType
    input_mask: TensorType | None = None
    weight: TensorType | None = None
    bias: TensorType | None = None
    num_groups: I64
    epsilon: F32 = 1e-12
    channel_dim: I64 = 3

    def infer(self) -> TensorType:
        """Return the operand's type."""
        expect(self.input.rank >= 4, f"rank of input is {self.input.rank}, needs at least 4")
        at = axis(self.channel_dim, self.input.rank, "channel_dim")
        expect(at > 0, "channel_dim 0 is the batch")
        channels = self.input.shape[at]
        fits = self.num_groups > 0 and channels % self.num_groups == 0
        expect(fits, f"num_groups {self.num_groups} does not divide the {channels} channels of the input")
        for name, given in (("weight", self.weight), ("bias", self.bias)):
            if given is None or given.shape != (1, 1, channels // TILE, TILE):
                check_trailing(name, given, (channels,))
        return self.input

    @property
    def span(self) -> int:
        """The maximum number of columns of tiles that the channels of one group overlap."""
        each = self.input.shape[axis(self.channel_dim, self.input.rank, "channel_dim")] // self.num_groups
        return max((tiles(start % TILE + each) for start in range(0, self.num_groups * each, max(each, 1))), default=0)

    def flops(self) -> int:
        """Return seven for each element: mean, centring, square, mean, scaling, weight, bias."""
        return 7 * self.input.size

    def dispatch(self) -> WorkEstimate:
        """Estimate work in which each sample's channels stay in a core, with groups in parallel."""
        at = axis(self.channel_dim, self.input.rank, "channel_dim")
        inside = [d for d in range(1, self.input.rank) if d != at or self.num_groups == 1]
        return _beside(rowwise([self.input], self.input, inside, CENTRED), operands=len(self.operands) - 1)


def _beside(found: WorkEstimate, *, operands: int, results: int = 0) -> WorkEstimate:
    """Return the same loops with additional one-tile operands and results that stay in the core."""
    held = IndexingMap(())
    return replace(found, inputs=found.inputs + (held,) * operands, outputs=found.outputs + (held,) * results)
