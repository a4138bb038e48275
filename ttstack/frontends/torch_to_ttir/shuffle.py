"""Pixel and channel shuffles, as reshapes around a permute."""

from collections.abc import Sequence

from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_TARGETS = "reshape permute"


@CONVERSIONS("pixel_shuffle", to=_TARGETS)
def _pixel_shuffle(call: TorchOp) -> ir.Value:
    """Turn groups of channels into the pixels of a block."""
    *_, height, width = read_type(call.tensor(0).type).shape
    factor, channels = call.integer(1), call.result.shape[-3]
    return _through(call, (-1, channels, factor, factor, height, width), (0, 1, 4, 2, 5, 3))


@CONVERSIONS("pixel_unshuffle", to=_TARGETS)
def _pixel_unshuffle(call: TorchOp) -> ir.Value:
    """Turn the pixels of a block into channels."""
    *_, channels, _, _ = read_type(call.tensor(0).type).shape
    factor, (*_, height, width) = call.integer(1), call.result.shape
    return _through(call, (-1, channels, height, factor, width, factor), (0, 1, 3, 5, 2, 4))


@CONVERSIONS("channel_shuffle", to=_TARGETS)
def _channel_shuffle(call: TorchOp) -> ir.Value:
    """Interleave the channels of all groups."""
    groups, (_, channels, *_) = call.integer(1), call.result.shape
    return _through(call, (call.result.shape[0], groups, channels // groups, -1), (0, 2, 1, 3))


def _through(call: TorchOp, shape: Sequence[int], order: Sequence[int]) -> ir.Value:
    """Reshape (-1 is inferred), permute, and reshape to the result's shape."""
    known = 1
    for extent in shape:
        known *= abs(extent)
    whole = [call.result.size // known if extent == -1 else extent for extent in shape]
    return reshape_to(permute_dims(reshape_to(call.tensor(0), whole), order), call.result.shape)
