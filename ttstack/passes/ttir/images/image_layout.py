"""Images with channels first in the model and channels last in memory."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.movement_chain import ways

TO_LAST = (0, 2, 3, 1)
TO_FIRST = (0, 3, 1, 2)


@dataclass(frozen=True)
class Images:
    """Images [N, C, H, W] that are a permutation of a value [N, H, W, C], built lazily."""

    source: ir.Value
    """The same elements, in any shape."""
    sizes: tuple[int, ...]
    """N, H, W and C."""

    @staticmethod
    def behind(value: ir.Value) -> "Images | None":
        """Return the channels-last images that the value is a permutation of, through views; otherwise None.

        Images of one pixel, and images of one channel with all pixels in one dimension, are views.
        """
        shape = read_type(value.type).shape
        for steps, moved in ways(value) if len(shape) == 4 else ():
            pixel = shape[1] > 1 and shape[2:] == (1, 1)
            column = shape[1] == 1 and read_type(steps[0].operands[0].type).shape == (1, 1, math.prod(shape), 1)
            if (pixel or column or not moved.keeps_order) and moved.permute(TO_LAST).keeps_order:
                return Images(steps[0].operands[0], tuple(shape[d] for d in TO_LAST))
        return None

    @staticmethod
    def behind_pixels(value: ir.Value) -> "Images | None":
        """Return images [N, H, W, C] that are a view of all pixels in one dimension, [1, 1, N * H * W, C]."""
        shape, view = read_type(value.type).shape, pure_producer(value, *VIEWS)
        if view is None or len(shape) != 4 or shape[:2] == (1, 1):
            return None
        source = view.operands[0]
        return (
            Images(source, shape) if read_type(source.type).shape == (1, 1, math.prod(shape[:-1]), shape[-1]) else None
        )

    @staticmethod
    def of(value: ir.Value) -> "Images":
        """Return any images [N, C, H, W], with a permutation if needed."""
        return Images.behind(value) or Images.last(permute_dims(value, TO_LAST))

    @staticmethod
    def last(value: ir.Value) -> "Images":
        """Return the images of a value [N, H, W, C]."""
        return Images(value, read_type(value.type).shape)

    @property
    def flat(self) -> ir.Value:
        """All pixels in one dimension: [1, 1, N * H * W, C], in full tiles except the last."""
        *pixels, channels = self.sizes
        return reshape_to(self.source, (1, 1, math.prod(pixels), channels))

    @property
    def apart(self) -> ir.Value:
        """The pixels of each image in one dimension: [N, 1, H * W, C]."""
        batch, height, width, channels = self.sizes
        return reshape_to(self.source, (batch, 1, height * width, channels))


def first(images: ir.Value, pixels: Sequence[int]) -> ir.Value:
    """Return [1, 1, N * H * W, C] or [N, 1, H * W, C] as images [N, C, H, W]; `pixels` are N, H and W."""
    return permute_dims(reshape_to(images, (*pixels, read_type(images.type).shape[-1])), TO_FIRST)
