"""Parts of tensors, and tensors of parts: slices, splits, joins and padding."""

from collections.abc import Sequence

from ttstack.dialects.ttir.build import reshaped, ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.boundary import list_of
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.eltwise import compare
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.frontends.torch_to_ttir.values import cast, elementwise
from ttstack.mlir import ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType

CONVERSIONS = ConversionTable()


def sliced(x: ir.Value, dim: int, begin: int, end: int, step: int = 1) -> ir.Value:
    """`x[begin:end:step]` along one dimension; `x` itself where that is all of it."""
    shape = read_type(x.type).shape
    if (begin, end, step) == (0, shape[dim], 1):
        return x
    begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    begins[dim], ends[dim], steps[dim] = begin, end, step
    return ttir("slice_static", [x], begins=tuple(begins), ends=tuple(ends), step=tuple(steps))


def joined(parts: Sequence[ir.Value], dim: int) -> ir.Value:
    """The parts side by side; more than an op can take are joined in groups first."""
    while len(parts) > 1:
        groups = [parts[i : i + MAX_VARIADIC] for i in range(0, len(parts), MAX_VARIADIC)]
        parts = [ttir("concat", group, dim=dim) if len(group) > 1 else group[0] for group in groups]
    return parts[0]


@CONVERSIONS("slice.Tensor", to="slice_static")
def _slice(call: Call) -> ir.Value:
    """Bounds inside of the tensor."""
    x = call.tensor(0)
    shape = read_type(x.type).shape
    dim = axis(call.integer(1), len(shape))
    start = None if call.is_none(2) else call.integer(2)
    end = None if call.is_none(3) else call.integer(3)
    begin, end, step = slice(start, end, call.integer(4)).indices(shape[dim])
    return sliced(x, dim, begin, max(begin, end), step)


@CONVERSIONS("narrow", to="slice_static")
def _narrow(call: Call) -> ir.Value:
    """A length from a start."""
    dim, start = axis(call.integer(1), call.result.rank), call.integer(2)
    start = start % read_type(call.tensor(0).type).shape[dim] if start < 0 else start
    return sliced(call.tensor(0), dim, start, start + call.integer(3))


@CONVERSIONS("select.int", to="slice_static squeeze")
def _select(call: Call) -> ir.Value:
    """A slice of one, without its dimension."""
    x = call.tensor(0)
    shape = read_type(x.type).shape
    dim = axis(call.integer(1), len(shape))
    at = axis(call.integer(2), shape[dim], "index")
    return ttir("squeeze", [sliced(x, dim, at, at + 1)], dim=dim)


@CONVERSIONS("split.Tensor", to="slice_static")
def _split(call: Call) -> ir.Value:
    """Slices of one size."""
    extent, size = _extent(call, 2), call.integer(1)
    return _slices(call, [min(size, extent - at) for at in range(0, extent, size)])


@CONVERSIONS("split_with_sizes", "split.sizes", to="slice_static")
def _split_with_sizes(call: Call) -> ir.Value:
    """Slices of given sizes."""
    return _slices(call, call.integers(1))


@CONVERSIONS("chunk", to="slice_static")
def _chunk(call: Call) -> ir.Value:
    """Slices of one size."""
    extent = _extent(call, 2)
    size = max(1, -(-extent // call.integer(1)))
    return _slices(call, [min(size, extent - at) for at in range(0, extent, size)])


@CONVERSIONS("unbind.int", to="slice_static squeeze")
def _unbind(call: Call) -> ir.Value:
    """Slices of one, without their dimension."""
    x, extent = call.tensor(0), _extent(call, 1)
    dim = axis(call.integer(1), read_type(x.type).rank)
    parts = [ttir("squeeze", [sliced(x, dim, at, at + 1)], dim=dim) for at in range(extent)]
    return list_of(parts, call.op.results[0].type)


def _extent(call: Call, i: int) -> int:
    """The extent along the dimension that operand `i` is."""
    shape = read_type(call.tensor(0).type).shape
    return shape[axis(call.integer(i), len(shape))]


def _slices(call: Call, sizes: Sequence[int]) -> ir.Value:
    x = call.tensor(0)
    dim = axis(call.integer(2), read_type(x.type).rank)
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    parts = [sliced(x, dim, end - size, end) for end, size in zip(ends, sizes, strict=True)]
    return list_of(parts, call.op.results[0].type)


@CONVERSIONS("cat", to="concat")
def _cat(call: Call) -> ir.Value:
    """Joined; tensors of shape [0] do not count."""
    parts = [x for x in call.tensors(0) if read_type(x.type).shape != (0,)]
    return joined([cast(x, call.result.dtype) for x in parts], axis(call.integer(1), call.result.rank))


@CONVERSIONS("stack", to="concat reshape")
def _stack(call: Call) -> ir.Value:
    """Joined along the dimension that the new one goes before; a new last dimension is made of columns."""
    dim, parts = axis(call.integer(1), call.result.rank), [cast(x, call.result.dtype) for x in call.tensors(0)]
    if dim == call.result.rank - 1:
        parts = [reshaped(x, (*call.result.shape[:-1], 1)) for x in parts]
    return reshaped(joined(parts, dim), call.result.shape)


@CONVERSIONS("roll", to="slice_static concat reshape")
def _roll(call: Call) -> ir.Value:
    """The end of each dimension in front of its beginning."""
    x, dims = call.tensor(0), call.integers(2)
    if not dims:
        x, dims = reshaped(x, (call.result.size,)), (0,)
    for shift, d in zip(call.integers(1), dims, strict=True):
        shape = read_type(x.type).shape
        dim = axis(d, len(shape))
        at = -shift % shape[dim]
        if at:
            x = joined([sliced(x, dim, at, shape[dim]), sliced(x, dim, 0, at)], dim)
    return reshaped(x, call.result.shape)


@CONVERSIONS("constant_pad_nd", to="pad slice_static")
def _constant_pad(call: Call) -> ir.Value:
    """One number around; negative amounts cut off."""
    return _padded(call.tensor(0), call.integers(1), float(call.number(2)))


@CONVERSIONS("pad", to="pad slice_static")
def _pad(call: Call) -> ir.Value:
    """One number around; negative amounts cut off."""
    if (mode := call.text(2)) != "constant":
        call.refuse(f"fills by mode {mode!r}", "only constants are supported")
    return _padded(call.tensor(0), call.integers(1), 0.0 if call.is_none(3) else float(call.number(3)))


def _padded(x: ir.Value, amounts: Sequence[int], value: float) -> ir.Value:
    """`amounts` are low and high, of the last dimension first."""
    shape = read_type(x.type).shape
    pairs = [(0, 0)] * len(shape)
    for i in range(len(amounts) // 2):
        pairs[-1 - i] = (amounts[2 * i], amounts[2 * i + 1])
    for dim, (low, high) in enumerate(pairs):
        x = sliced(x, dim, max(-low, 0), shape[dim] - max(-high, 0))
    padding = tuple(max(amount, 0) for pair in pairs for amount in pair)
    return ttir("pad", [x], padding=padding, value=value) if any(padding) else x


@CONVERSIONS("diff", to="slice_static concat subtract ne")
def _diff(call: Call) -> ir.Value:
    """Each element less the one before it, `n` times; of bools, whether they differ."""
    x, dim = call.tensor(0), axis(call.integer(2), call.result.rank)
    parts = [call.optional(3), x, call.optional(4)]
    x = joined([part for part in parts if part is not None], dim)
    for _ in range(call.integer(1)):
        extent = read_type(x.type).shape[dim]
        late, early = sliced(x, dim, 1, extent), sliced(x, dim, 0, extent - 1)
        bools = call.result.dtype is DType.I1
        x = compare("ne", late, early) if bools else elementwise("subtract", late, early, result=call.result)
    return x
