"""Convolutions."""

import math
from typing import ClassVar

from ttstack.ops.attributes import I32, I64, Sides, Str
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.matmul import check_activation
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.windows import ImageOp, Window, WindowOp, low_and_high, order_of, per_axis
from ttstack.ops.work_estimate import WorkEstimate


class Convolution(WindowOp):
    """Cross-correlation, as in `torch.nn.functional.conv*d`: weight [O, C / groups, *kernel], bias [1, ..., 1, O].

    The device computes a matmul: output pixels by output channels, over the elements of a window. Weights of a grouped
    convolution are filled with zeros for it, as in tt-metal.
    """

    multiplied = (0, 1)
    op_code = "Conv2dDeviceOperation"
    computes = ("input", "weight", "bias")
    filters = ("weight",)
    spatial: ClassVar[tuple[str, ...]] = ()
    """Names of the spatial axes, outermost first."""
    input: TensorType
    weight: TensorType
    bias: TensorType | None = None
    stride: Sides
    padding: Sides
    groups: I32
    batch_dim: I64 = 0
    activation: Str = ""
    """A unary elementwise op on the result, by mnemonic."""

    @property
    def order(self) -> tuple[int, ...]:
        """The positions of batch, spatial axes and channels in input and result."""
        return order_of(self, ("batch", *self.spatial, "channel"), len(self.spatial) + 2)

    def images(self) -> TensorType:
        """Return the input type in its own order of dimensions."""
        rank = len(self.spatial) + 2
        expect(self.input.rank == rank, f"input has rank {self.input.rank}, not {rank}")
        return self.input

    @property
    def sizes(self) -> tuple[int, ...]:
        """Extents of batch, spatial axes and channels."""
        images = self.images()
        return tuple(images.shape[at] for at in self.order)

    @property
    def batch(self) -> int:
        """The number of images or sequences."""
        return self.sizes[0]

    @property
    def channels(self) -> int:
        """Return the number of input channels."""
        return self.sizes[-1]

    @property
    def out_channels(self) -> int:
        """Return the number of output channels."""
        return self.weight.shape[0]

    @property
    def windows(self) -> tuple[Window, ...]:
        """The window along each spatial axis."""
        rank = len(self.spatial)
        kernel, sizes = self.weight.shape[2:], self.sizes[1:-1]
        strides, dilations = per_axis("stride", self.stride, rank), self.dilations
        pads = low_and_high(self.padding, rank)
        found = tuple(Window(sizes[i], kernel[i], strides[i], dilations[i], *pads[i]) for i in range(rank))
        for name, window in zip(self.spatial, found, strict=True):
            window.check(name)
        return found

    @property
    def dilations(self) -> tuple[int, ...]:
        """The distance between taps along each axis."""
        return per_axis("dilation", getattr(self, "dilation", 1), len(self.spatial))

    def infer(self) -> TensorType:
        """Return batch, windows and output channels, in the order of the input."""
        self._check_weight()
        self._check_bias()
        check_activation(self.activation)
        return self._arranged((self.sizes[0], *(w.count for w in self.windows), self.out_channels))

    def _arranged(self, extents: tuple[int, ...]) -> TensorType:
        """Return a result type with these extents of batch, spatial axes and channels, in the order of the input."""
        shape = [0] * len(extents)
        for at, extent in zip(self.order, extents, strict=True):
            shape[at] = extent
        return self.input.with_shape(tuple(shape))

    def _check_weight(self) -> None:
        self._check_groups()
        taken, each = self.weight.shape[1], self.channels // self.groups
        expect(
            taken == each,
            f"weight {list(self.weight.shape)} takes {taken} channels, "
            f"input has {self.channels} in {self.groups} groups of {each}",
        )

    def _check_groups(self) -> None:
        rank = len(self.spatial) + 2
        expect(self.weight.rank == rank, f"weight has rank {self.weight.rank}, not {rank}")
        expect(self.groups > 0, f"groups is {self.groups}, must be positive")
        expect(self.channels > 0, f"input {list(self.input.shape)} has no channels")
        for name, channels in (("input", self.channels), ("output", self.out_channels)):
            expect(channels % self.groups == 0, f"groups {self.groups} do not divide the {channels} {name} channels")

    def _check_bias(self) -> None:
        """Raise `ValueError` unless the bias has a value for each output channel, last or in the channel dimension."""
        if self.bias is None:
            return
        outputs, rank = self.out_channels, len(self.spatial) + 2
        shapes = [tuple(outputs if d == at else 1 for d in range(rank)) for at in (rank - 1, self.order[-1])]
        fits = self.bias.shape in shapes
        expect(fits, f"bias {list(self.bias.shape)} does not fit {outputs} output channels, expected {list(shapes[0])}")

    def flops(self) -> int:
        """Return two for each multiply-add."""
        return 2 * self.results[0].size * math.prod(self.weight.shape[1:])

    def dispatch(self) -> WorkEstimate:
        """Estimate parallel loops over output pixels and channels, and a reduction over the window."""
        pixels = self.results[0].size // max(self.out_channels, 1)
        return _product(pixels, self.out_channels, self._depth(), self.activation, biased=self.bias is not None)

    def _depth(self) -> int:
        """Return the tiles of one row of the matrix of windows.

        Adjacent elements of a window are padded to whole tiles.
        """
        *outer, inner = self.weight.shape[2:]
        return math.prod(outer) * tiles(inner * self.channels)


def _product(pixels: int, outputs: int, depth: int, activation: str, *, biased: bool) -> WorkEstimate:
    operands = (
        IndexingMap((0, 2), Access.WINDOW),
        IndexingMap((2, 1), Access.MULTICAST),
        IndexingMap((None, 1), Access.MULTICAST),
    )
    count = 3 if biased else 2
    body = [TileWork("matmul", (0, 1, count))]
    if biased:
        body.append(TileWork("add", (count + len(body), 2)))
    if activation:
        body.append(TileWork(activation, (count + len(body),)))
    return WorkEstimate(
        domain=(tiles(pixels), tiles(outputs), depth),
        iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
        inputs=operands[:count],
        outputs=(IndexingMap((0, 1)),),
        body=tuple(body),
    )


class Conv1d(Convolution, mnemonic="conv1d"):
    """Cross-correlation along one axis."""

    spatial = ("length",)
    dilation: Sides
    length_dim: I64 = 1
    channel_dim: I64 = 2


class Conv3d(Convolution, mnemonic="conv3d"):
    """Cross-correlation along three axes; padding is zeros, or replicates the edge."""

    spatial = ("depth", "height", "width")
    depth_dim: I64 = 1
    height_dim: I64 = 2
    width_dim: I64 = 3
    channel_dim: I64 = 4
    padding_mode: Str = "zeros"

    def infer(self) -> TensorType:
        """Return batch, windows and output channels."""
        modes = ("zeros", "replicate")
        expect(self.padding_mode in modes, f"padding_mode is {self.padding_mode!r}, not {' or '.join(modes)}")
        return super().infer()


class ImageConvolution(Convolution, ImageOp):
    """A convolution of images."""

    spatial = ("height", "width")
    dilation: Sides
    height_dim: I64 = 1
    width_dim: I64 = 2
    channel_dim: I64 = 3

    def images(self) -> TensorType:
        """Return the input with separate batch, height and width; flattened images must have the default order."""
        plain = self.flattened_compat_info is None or self.order == (0, 1, 2, 3)
        expect(plain, f"flattened_compat_info needs the order N, H, W, C, not dimensions {list(self.order)}")
        return ImageOp.images(self)

    def _arranged(self, extents: tuple[int, ...]) -> TensorType:
        return self.flatten_result(super()._arranged(extents))


class Conv2d(ImageConvolution, mnemonic="conv2d"):
    """Cross-correlation of images; padding is one number, [H, W] or [T, L, B, R]."""


class ConvTranspose2d(ImageConvolution, mnemonic="conv_transpose2d"):
    """The transpose of `conv2d` as a linear map: weight [C, O / groups, KH, KW].

    `output_padding` adds rows and columns at the end, to distinguish sizes that a strided `conv2d` maps to one.
    """

    output_padding: Sides

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows: the kernel slides in steps of 1 over input elements that are `stride` apart."""
        strides = per_axis("stride", self.stride, 2)
        extra = per_axis("output_padding", self.output_padding, 2)
        pads, found = low_and_high(self.padding, 2), list[Window]()
        for i, name in enumerate(self.spatial):
            kernel, dilation, (low, high) = self.weight.shape[2 + i], self.dilations[i], pads[i]
            Window(kernel * dilation, kernel, strides[i], dilation, low, high).check(name)
            limit, reach = max(strides[i], dilation), (kernel - 1) * dilation
            fits = 0 <= extra[i] < limit
            expect(fits, f"output_padding is {extra[i]} along the {name}, must be less than stride or dilation {limit}")
            spread = (self.sizes[1 + i] - 1) * strides[i] + 1
            found.append(Window(spread, kernel, 1, dilation, reach - low, reach - high + extra[i]))
            expect(found[i].count > 0, f"padding {[low, high]} leaves nothing of the {name} of the result")
        return tuple(found)

    @property
    def out_channels(self) -> int:
        """Return the number of output channels."""
        return self.weight.shape[1] * self.groups

    @property
    def apart(self) -> tuple[int, ...]:
        """The stride: zeros are inserted between the input's elements."""
        return per_axis("stride", self.stride, 2)

    def _check_weight(self) -> None:
        self._check_groups()
        taken = self.weight.shape[0]
        fits = taken == self.channels
        expect(fits, f"weight {list(self.weight.shape)} takes {taken} channels, input has {self.channels}")

    def flops(self) -> int:
        """Return two for each multiply-add: every input element meets the whole kernel."""
        return 2 * self.images().size * math.prod(self.weight.shape[1:])
