"""Pools and resizing of images [N, H, W, C]."""

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
    """One value for the elements that a window sees in each channel."""

    op_code = "Pool2D"
    computes = ("input",)
    reduces: ClassVar[str] = "reduce_max"
    """The tile op that joins two elements of a window."""
    kernel: Sides
    stride: Sides
    dilation: Sides
    padding: Sides
    ceil_mode: Bool

    @property
    def windows(self) -> tuple[Window, ...]:
        """Along height and width."""
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
        """Images."""
        return self.images().shape[0]

    @property
    def channels(self) -> int:
        """Channels of the input."""
        return self.input.shape[3]

    def infer(self) -> TensorType | tuple[TensorType, ...]:
        """Batch, windows and channels."""
        images = self.images()
        counts = tuple(w.count for w in self.windows)
        return self.flatten_result(images.with_shape((images.shape[0], *counts, images.shape[3])))

    def flops(self) -> int:
        """One for each element of each window."""
        return self.results[0].size * self.sliding.taps

    def dispatch(self) -> WorkEstimate:
        """Pixels and channels side by side, the elements of a window one after another."""
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
    """Largest element of each window; padding never is."""


class AvgPool2d(Pool, mnemonic="avg_pool2d"):
    """Mean of each window; padding counts as zeros where `count_include_pad`."""

    reduces = "reduce_mean"
    count_include_pad: Bool = True


class MaxPool2dWithIndices(Pool, mnemonic="max_pool2d_with_indices"):
    """Largest element of each window and where it is: `row * W + column`, the first of equals.

    `output` and `output_indices` are destinations of older text, and are not read.
    """

    result_names = ("result", "result_indices")
    output: TensorType | None = None
    output_indices: TensorType | None = None
    index_dtype: SecondResultDType

    def infer(self) -> tuple[TensorType, ...]:
        """Values, and indices in the integer type that the text says."""
        values = super().infer()
        assert isinstance(values, TensorType)
        expect(not self.index_dtype.is_float, f"result_indices are {self.index_dtype}, not integers")
        results = values, values.with_dtype(self.index_dtype)
        given = {"output": self.output, "output_indices": self.output_indices}
        for (name, t), result in zip(given.items(), results, strict=True):
            expect(t is None or t == result, f"{name} is {t}, the result {result}")
        return results

    def dispatch(self) -> WorkEstimate:
        """As for the maximum, which is found twice: as a value and as a place."""
        found = super().dispatch()
        unread = (IndexingMap(()),) * (len(self.operands) - 1)
        return replace(found, inputs=found.inputs + unread, body=(TileWork(self.reduces, (0, 1), 2.0),))


class GlobalAvgPool2d(Op, mnemonic="global_avg_pool2d"):
    """Mean over height and width, which stay with extent 1."""

    op_code = "ReduceDeviceOperation"
    computes = ("input",)
    input: TensorType

    def infer(self) -> TensorType:
        """[N, 1, 1, C]."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        n, *_, c = self.input.shape
        return self.input.with_shape((n, 1, 1, c))

    def flops(self) -> int:
        """One for each element that is read."""
        return self.input.size

    def dispatch(self) -> LoopNest | WorkEstimate:
        """That of the mean that it is."""
        return OPS["mean"].on([self.input], {"keep_dim": True, "dim_arg": (1, 2)}).dispatch()


class Upsample2d(Op, mnemonic="upsample2d"):
    """Height and width times `scale_factor`: each pixel repeated, or `bilinear` between pixel centres."""

    op_code = "UpsampleOperation"
    computes = ("input",)
    input: TensorType
    scale_factor: SignedSides
    mode: Str = "nearest"

    def infer(self) -> TensorType:
        """[N, H * factor, W * factor, C]."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        modes = ("nearest", "bilinear")
        expect(self.mode in modes, f"mode is {self.mode!r}, not {' or '.join(modes)}")
        down, right = per_axis("scale_factor", self.scale_factor, 2)
        expect(min(down, right) > 0, f"scale_factor is {[down, right]}, must be positive")
        n, h, w, c = self.input.shape
        return self.input.with_shape((n, h * down, w * right, c))

    def flops(self) -> int:
        """None for `nearest`; seven for each element of a mix of four."""
        return 0 if self.mode == "nearest" else 7 * self.results[0].size

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Rows of an image are repeated whole; its columns move across tiles, where a mix multiplies and adds them."""
        moved = movement([self.input], self.results)
        if self.mode == "nearest":
            down, right = per_axis("scale_factor", self.scale_factor, 2)
            whole = along(self.results[0], [SAME, IndexExpr(down), SAME, SAME]) if right == 1 else None
            return whole or moved
        return replace(moved, body=(TileWork("multiply", (0,), 4.0), TileWork("add", (0,), 3.0)))
