"""Orders: sorting, and the best of each line."""

from collections.abc import Mapping, Sequence

from ttstack.dialects.base import create
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = ConversionTable()


@CONVERSIONS("topk", to="topk")
def _topk(call: Call) -> Sequence[ir.Value]:
    """Values and positions."""
    attributes = {"k": call.integer(1), "dim": call.integer(2), "largest": call.flag(3), "sorted": call.flag(4)}
    return _ordered(call, "topk", attributes)


@CONVERSIONS("sort", "sort.stable", to="sort")
def _sort(call: Call) -> Sequence[ir.Value]:
    """Equal values keep their order."""
    return _sorted(call)


@CONVERSIONS("argsort", "argsort.stable", to="sort")
def _argsort(call: Call) -> ir.Value:
    """The positions alone."""
    return _sorted(call)[1]


def _sorted(call: Call) -> Sequence[ir.Value]:
    first = 2 if call.name.endswith("stable") else 1
    attributes = {"dim": call.integer(first), "descending": call.flag(first + 1), "stable": True}
    return _ordered(call, "sort", attributes)


def _ordered(call: Call, mnemonic: str, attributes: Mapping[str, object]) -> Sequence[ir.Value]:
    """Values, and positions in the 64 bits that torch gives them."""
    x = call.tensor(0)
    values = read_type(x.type)
    return create("ttir", mnemonic, [x], attributes, results=[values, values.with_dtype(DType.I64)]).results
