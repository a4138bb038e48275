"""Pooling and resizing of images [N, H, W, C]."""

from dataclasses import replace
from typing import ClassVar

from ttstack.ops.attributes import Bool, SecondResultDType, Sides, SignedSides, Str
from ttstack.ops.base import OPS, Op
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import movement
from ttstack.ops.loops import SAME, Access, IndexExpr, IndexingMap, Iterator, TileWork
from ttstack.ops.shapes import expect
from ttstack.ops.tile_moves import along
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.windows import ImageOp, Window, low_and_high, per_axis
from ttstack.ops.work_estimate import WorkEstimate


class Pool(ImageOp):
    """A reduction of each window to one value per channel."""

    op_code = "Pool2D"
    computes = ("input",)
    reduces: ClassVar[str] = "reduce_max"
    """The tile op that combines two elements of a window."""
    kernel: Sides
    stride: Sides
    dilation: Sides
    padding: Sides
    ceil_mode: Bool

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows along height and width."""
        sizes = self.images().shape[1:3]
        kernel, stride = per_axis("kernel", self.kernel, 2), per_axis("stride", self.stride, 2)
        dilation, pads = per_axis("dilation", self.dilation, 2), low_and_high(self.padding, 2)
        found = tuple(Window(sizes[i], kernel[i], stride[i], dilation[i], *pads[i], self.ceil_mode) for i in range(2))
        for name, window in zip(("height", "width"), found, strict=True):
            window.check(name)
            reach = max(window.low, window.high)
            fits = reach < window.extent
            expect(fits, f"padding {reach} along the {name} leaves a window of kernel {window.kernel} nothing else")
        return found

    @property
    def batch(self) -> int:
        """The number of images."""
        return self.images().shape[0]

    @property
    def channels(self) -> int:
        """Return the number of input channels."""
        return self.input.shape[3]

    def infer(self) -> TensorType | tuple[TensorType, ...]:
        """Return batch, windows and channels."""
        images = self.images()
        counts = tuple(w.count for w in self.windows)
        return self.flatten_result(images.with_shape((images.shape[0], *counts, images.shape[3])))

    def flops(self) -> int:
        """Return one for each element of each window."""
        return self.results[0].size * self.sliding.taps

    def dispatch(self) -> WorkEstimate:
        """Estimate parallel work on pixels and channels, with the elements of a window in sequence."""
        outputs = len(self.results)
        return WorkEstimate(
            domain=(
                tiles(self.results[0].size // max(self.channels, 1)),
                tiles(self.channels),
                self.sliding.taps,
            ),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(IndexingMap((0, 1, 2), Access.WINDOW),),
            outputs=(IndexingMap((0, 1)),) * outputs,
            body=(TileWork(self.reduces, (0, 1)),),
        )


class MaxPool2d(Pool, mnemonic="max_pool2d"):
    """Maximum of each window; padding is never the maximum."""


class AvgPool2d(Pool, mnemonic="avg_pool2d"):
    """Mean of each window; padding counts as zeros if `count_include_pad`."""

    reduces = "reduce_mean"
    count_include_pad: Bool = True


class MaxPool2dWithIndices(Pool, mnemonic="max_pool2d_with_indices"):
    """Maximum of each window and its position `row * W + column`, the first of equal ones.

    `output` and `output_indices` are destinations in older MLIR files, and are not read.
    """

    result_names = ("result", "result_indices")
    output: TensorType | None = None
    output_indices: TensorType | None = None
    index_dtype: SecondResultDType

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of values, and of indices in the declared integer type."""
        values = super().infer()
        assert isinstance(values, TensorType)
        expect(not self.index_dtype.is_float, f"result_indices are {self.index_dtype}, not integers")
        results = values, values.with_dtype(self.index_dtype)
        given = {"output": self.output, "output_indices": self.output_indices}
        for (name, t), result in zip(given.items(), results, strict=True):
            expect(t is None or t == result, f"{name} is {t}, the result {result}")
        return results

    def dispatch(self) -> WorkEstimate:
        """Estimate the maximum twice: once for the value and once for the position."""
        found = super().dispatch()
        unread = (IndexingMap(()),) * (len(self.operands) - 1)
        return replace(found, inputs=found.inputs + unread, body=(TileWork(self.reduces, (0, 1), 2.0),))


class GlobalAvgPool2d(Op, mnemonic="global_avg_pool2d"):
    """Mean over height and width, which become unit dimensions."""

    op_code = "ReduceDeviceOperation"
    computes = ("input",)
    input: TensorType

    def infer(self) -> TensorType:
        """Return [N, 1, 1, C]."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        n, *_, c = self.input.shape
        return self.input.with_shape((n, 1, 1, c))

    def flops(self) -> int:
        """Return one for each element that is read."""
        return self.input.size

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of the equivalent mean."""
        return OPS["mean"].on([self.input], {"keep_dim": True, "dim_arg": (1, 2)}).dispatch()


class Upsample2d(Op, mnemonic="upsample2d"):
    """Multiply height and width by `scale_factor`: repeat pixels, or interpolate `bilinear` between pixel centres."""

    op_code = "UpsampleOperation"
    computes = ("input",)
    input: TensorType
    scale_factor: SignedSides
    mode: Str = "nearest"

    def infer(self) -> TensorType:
        """Return [N, H * factor, W * factor, C]."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        modes = ("nearest", "bilinear")
        expect(self.mode in modes, f"mode is {self.mode!r}, not {' or '.join(modes)}")
        down, right = per_axis("scale_factor", self.scale_factor, 2)
        expect(min(down, right) > 0, f"scale_factor is {[down, right]}, must be positive")
        n, h, w, c = self.input.shape
        return self.input.with_shape((n, h * down, w * right, c))

    def flops(self) -> int:
        """Return 0 for `nearest`, and seven for each interpolated element."""
        return 0 if self.mode == "nearest" else 7 * self.results[0].size

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return loops or an estimate: rows are repeated, columns move across tiles; interpolation adds arithmetic."""
        moved = movement([self.input], self.results)
        if self.mode == "nearest":
            down, right = per_axis("scale_factor", self.scale_factor, 2)
            whole = along(self.results[0], [SAME, IndexExpr(down), SAME, SAME]) if right == 1 else None
            return whole or moved
        return replace(moved, body=(TileWork("multiply", (0,), 4.0), TileWork("add", (0,), 3.0)))
