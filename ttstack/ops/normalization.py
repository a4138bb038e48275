"""Normalisation along trailing dimensions or channels."""

from ttstack.ops.attributes import F32, I32, DenseI64
from ttstack.ops.base import Op
from ttstack.ops.dispatch import Dispatch
from ttstack.ops.loops import rowwise
from ttstack.ops.shapes import axis, expect, trailing
from ttstack.ops.types import TensorType


class TrailingNorm(Op):
    """Statistics over the trailing dimensions `normalized_shape`, then an optional scale and shift."""

    op_code = "LayerNormDeviceOperation"
    input: TensorType
    weight: TensorType | None = None
    bias: TensorType | None = None
    normalized_shape: DenseI64
    epsilon: F32 = 1e-5

    @property
    def dims(self) -> tuple[int, ...]:
        """The normalised dimensions."""
        return tuple(range(self.input.rank - len(self.normalized_shape), self.input.rank))

    def infer(self) -> TensorType:
        """The operand's type."""
        count = len(self.normalized_shape)
        tail = self.input.shape[-count:] if count else ()
        fits = 0 < count <= self.input.rank and tail == tuple(self.normalized_shape)
        expect(
            fits,
            f"normalized_shape {list(self.normalized_shape)} is not the end of input {list(self.input.shape)}",
        )
        trailing("weight", self.weight, self.normalized_shape)
        trailing("bias", self.bias, self.normalized_shape)
        return self.input


class LayerNorm(TrailingNorm, mnemonic="layer_norm"):
    """`(x - mean) / sqrt(variance + epsilon) * weight + bias`."""

    def flops(self) -> int:
        """Seven for each element: mean, centring, square, mean, scaling, weight, bias."""
        return 7 * self.input.size

    def dispatch(self) -> Dispatch:
        """Each normalised row stays in a core."""
        work = [("reduce_sum", 2), ("subtract", 1), ("multiply", 3), ("add", 1)]
        return rowwise(self.operands, self.input, self.dims, work)


class RmsNorm(TrailingNorm, mnemonic="rms_norm"):
    """`x / sqrt(mean(x * x) + epsilon) * weight + bias`."""

    def flops(self) -> int:
        """Four for each element: square, mean, scaling, weight."""
        return 4 * self.input.size

    def dispatch(self) -> Dispatch:
        """Each normalised row stays in a core."""
        return rowwise(self.operands, self.input, self.dims, [("reduce_sum", 1), ("multiply", 3)])


class BatchNormInference(Op, mnemonic="batch_norm_inference"):
    """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, a value of each for every index of `dimension`."""

    op_code = "GroupNormDeviceOperation"
    operand: TensorType
    scale: TensorType
    offset: TensorType
    mean: TensorType
    variance: TensorType
    epsilon: F32
    dimension: I32

    def infer(self) -> TensorType:
        """The operand's type."""
        expect(2 <= self.operand.rank <= 5, f"rank of operand is {self.operand.rank}, not 2 to 5")
        channels = self.operand.shape[axis(self.dimension, self.operand.rank, "dimension")]
        for name in ("scale", "offset", "mean", "variance"):
            trailing(name, getattr(self, name), (channels,))
        return self.operand

    def flops(self) -> int:
        """Four for each element."""
        return 4 * self.operand.size

    def dispatch(self) -> Dispatch:
        """Every tile by itself."""
        work = [("subtract", 1), ("multiply", 2), ("add", 1)]
        return rowwise([self.operand], self.operand, [], work).with_maps(
            rowwise([self.operand] * 5, self.operand, [], work).inputs
        )
