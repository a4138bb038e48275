"""Padding with a number, or with elements of the tensor."""

from collections.abc import Sequence

from ttstack.dialects.ttir.build import concat_along, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

_TARGETS = "slice_static reverse repeat concat"


@CONVERSIONS("constant_pad_nd", to="pad slice_static")
def _constant_pad(call: TorchOp) -> ir.Value:
    """Pad with a number; negative amounts crop."""
    return pad_around(call.tensor(0), call.integers(1), float(call.number(2)))


@CONVERSIONS("pad", to=f"pad {_TARGETS}")
def _pad(call: TorchOp) -> ir.Value:
    """Pad with a number, or with elements of the tensor; negative amounts crop."""
    if (mode := call.text(2)) == "constant":
        return pad_around(call.tensor(0), call.integers(1), 0.0 if call.is_none(3) else float(call.number(3)))
    return _fill(call.tensor(0), call.integers(1), mode)


@CONVERSIONS(*(f"reflection_pad{d}d" for d in (1, 2, 3)), to="slice_static reverse concat")
def _reflection_pad(call: TorchOp) -> ir.Value:
    """Pad with elements mirrored at the edge; negative amounts crop."""
    return _fill(call.tensor(0), call.integers(1), "reflect")


@CONVERSIONS(*(f"replication_pad{d}d" for d in (1, 2, 3)), to="slice_static repeat concat")
def _replication_pad(call: TorchOp) -> ir.Value:
    """Pad with the repeated edge; negative amounts crop."""
    return _fill(call.tensor(0), call.integers(1), "replicate")


def _pairs(x: ir.Value, amounts: Sequence[int]) -> tuple[ir.Value, list[tuple[int, int]]]:
    """Return the cropped tensor, and low and high of each dimension; `amounts` begin with the last dimension."""
    shape = read_type(x.type).shape
    pairs = [(0, 0)] * len(shape)
    for i in range(len(amounts) // 2):
        pairs[-1 - i] = (amounts[2 * i], amounts[2 * i + 1])
    for dim, (low, high) in enumerate(pairs):
        x = slice_along(x, dim, max(-low, 0), shape[dim] - max(-high, 0))
    return x, [(max(low, 0), max(high, 0)) for low, high in pairs]


def pad_around(x: ir.Value, amounts: Sequence[int], value: float) -> ir.Value:
    """Pad `x` with a number: `amounts` are low and high of dimensions from the last on; negative ones crop."""
    x, pairs = _pairs(x, amounts)
    padding = tuple(amount for pair in pairs for amount in pair)
    return ttir.pad(x, padding=padding, value=value) if any(padding) else x


def _fill(x: ir.Value, amounts: Sequence[int], mode: str) -> ir.Value:
    """Pad with elements of the tensor: those of the cropped one if it is circular, otherwise it is cropped at last."""
    if mode != "circular":
        padded = _fill_pairs(x, _pairs(x, [max(amount, 0) for amount in amounts])[1], mode)
        return _pairs(padded, [min(amount, 0) for amount in amounts])[0]
    return _fill_pairs(*_pairs(x, amounts), mode)


def _fill_pairs(x: ir.Value, pairs: Sequence[tuple[int, int]], mode: str) -> ir.Value:
    for dim, (low, high) in enumerate(pairs):
        before = [_edge(x, dim, low, mode, first=True)] if low else []
        after = [_edge(x, dim, high, mode, first=False)] if high else []
        x = concat_along([*before, x, *after], dim)
    return x


def _edge(x: ir.Value, dim: int, count: int, mode: str, *, first: bool) -> ir.Value:
    """Return the padding before the first element, or after the last."""
    shape = read_type(x.type).shape
    extent = shape[dim]
    if mode == "circular":
        begin = extent - count if first else 0
        return slice_along(x, dim, begin, begin + count)
    if mode == "reflect":
        begin = 1 if first else extent - 1 - count
        return ttir.reverse(slice_along(x, dim, begin, begin + count), dimensions=(dim,))
    begin = 0 if first else extent - 1
    counts = tuple(count if d == dim else 1 for d in range(len(shape)))
    return ttir.repeat(slice_along(x, dim, begin, begin + 1), repeat_dimensions=counts)
