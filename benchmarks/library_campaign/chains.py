"""Random functions of many classes of ops: each step takes a value that is there and gives another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.placement.functions import Draw
from ttstack.dialects.base import create
from ttstack.dialects.context import new_context
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import func, ir
from ttstack.ops import OPS
from ttstack.ops.eltwise import EltwiseUnary, Predicate
from ttstack.ops.types import DType, TensorType

_LEAD = st.sampled_from((1, 2, 3))
_SIDE = st.sampled_from((1, 7, 17, 32, 40, 64, 96, 128, 200, 256, 320))
_UNARY = sorted(
    m
    for m, op in OPS.items()
    if issubclass(op, EltwiseUnary)
    and not issubclass(op, Predicate)
    and not op.attribute_specs()
    and m != "bitwise_not"
)
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "div", "atan2", "pow", "remainder")
_LARGEST = 1 << 20
"""Elements of a value, beyond which it is not used any more."""


@cache
def context() -> ir.Context:
    """One for all modules that are drawn."""
    return new_context()


@dataclass
class _Chain:
    """A function under construction; `values` are real numbers."""

    draw: Draw
    dtype: DType
    block: ir.Block
    values: list[ir.Value] = field(default_factory=list[ir.Value])

    def argument(self, shape: Sequence[int], dtype: DType | None = None) -> ir.Value:
        t = TensorType(tuple(shape), dtype or self.dtype)
        return self.block.add_argument(tensor_type(t), ir.Location.unknown())

    def op(self, mnemonic: str, *operands: ir.Value | None, **attributes: Any) -> ir.Value:
        return create("ttir", mnemonic, operands, attributes).results[0]

    def typed(self, mnemonic: str, result: TensorType, *operands: ir.Value | None, **attributes: Any) -> ir.Value:
        return create("ttir", mnemonic, operands, attributes, results=(result,)).results[0]


Step = Callable[[_Chain, ir.Value, TensorType], ir.Value]


def _unary(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:  # noqa: ARG001
    return c.op(c.draw(st.sampled_from(_UNARY)), x)


def _binary(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    """With an equal value, or one that is repeated along some dimensions."""
    alike = [v for v in c.values if read_type(v.type) == t]
    mnemonic = c.draw(st.sampled_from(_BINARY))
    if c.draw(st.booleans()):
        return c.op(mnemonic, x, c.draw(st.sampled_from(alike)))
    shape = tuple(e if c.draw(st.booleans()) else 1 for e in t.shape)
    return c.op(mnemonic, x, c.argument(shape[c.draw(st.integers(0, t.rank - 1)) :]))


def _chosen(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    mnemonic = c.draw(st.sampled_from(("gt", "lt", "ge", "eq", "ne")))
    condition = c.typed(mnemonic, TensorType(t.shape, DType.I1), x, c.argument(t.shape))
    return c.op("where", condition, x, c.argument(t.shape))


def _clamped(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:  # noqa: ARG001
    return c.op("clamp_scalar", x, min=-1.0, max=1.0)


def _product(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    n, turned = c.draw(_SIDE), c.draw(st.booleans())
    lead = t.shape[:-2] if c.draw(st.booleans()) else ()
    shape = (n, t.shape[-1]) if turned else (t.shape[-1], n)
    product = c.op("matmul", x, c.argument((*lead, *shape)), transpose_b=turned)
    if c.draw(st.booleans()):
        product = c.op("add", product, c.argument((n,)))
    activation = c.draw(st.sampled_from((None, "relu", "gelu", "silu")))
    return product if activation is None else c.op(activation, product)


def _squared(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:  # noqa: ARG001
    turned = c.draw(st.booleans())
    return c.op("matmul", x, x, transpose_a=turned, transpose_b=not turned)


def _softmax(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    return c.op("softmax", x, dimension=c.draw(st.integers(-1, t.rank - 1)), numericStable=c.draw(st.booleans()))


def _norm(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    width = t.shape[-1:]
    weight, bias = (c.argument(width) if c.draw(st.booleans()) else None for _ in range(2))
    return c.op(c.draw(st.sampled_from(("layer_norm", "rms_norm"))), x, weight, bias, normalized_shape=width)


def _reduced(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    dims = tuple(c.draw(st.lists(st.integers(0, t.rank - 1), min_size=1, max_size=2, unique=True)))
    mnemonic, keep = c.draw(st.sampled_from(("sum", "mean", "max", "min"))), c.draw(st.booleans())
    found = c.op(mnemonic, x, dim_arg=dims, keep_dim=keep)
    return c.op("subtract", x, found) if keep and c.draw(st.booleans()) else found


def _scanned(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    return c.op("cumsum", x, dim=c.draw(st.integers(0, t.rank - 1)))


def _sorted(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    types = t, TensorType(t.shape, DType.I32)
    return create("ttir", "sort", [x], {"descending": c.draw(st.booleans())}, results=types).results[0]


def _best(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    k = c.draw(st.integers(1, min(t.shape[-1], 32)))
    shape = (*t.shape[:-1], k)
    types = TensorType(shape, t.dtype), TensorType(shape, DType.I32)
    return create("ttir", "topk", [x], {"k": k}, results=types).results[0]


def _permuted(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    return c.op("permute", x, permutation=tuple(c.draw(st.permutations(range(t.rank)))))


def _reshaped(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    """Two dimensions joined, or one divided."""
    at = c.draw(st.integers(0, t.rank - 1))
    if t.rank > 2 and at + 1 < t.rank and c.draw(st.booleans()):
        return c.op("reshape", x, shape=(*t.shape[:at], t.shape[at] * t.shape[at + 1], *t.shape[at + 2 :]))
    parts = [d for d in (2, 4, 8, 32) if t.shape[at] % d == 0] if t.rank < 4 else []
    split = c.draw(st.sampled_from(parts)) if parts else 1
    shape = (*t.shape[:at], split, t.shape[at] // split, *t.shape[at + 1 :]) if parts else (t.size, 1)
    return c.op("reshape", x, shape=shape)


def _joined(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    at = c.draw(st.integers(0, t.rank - 1))
    other = c.argument((*t.shape[:at], c.draw(st.sampled_from((1, 5, 32, 64))), *t.shape[at + 1 :]))
    return create("ttir", "concat", [x, other, x], {"dim": at}).results[0]


def _sliced(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    begins = tuple(c.draw(st.integers(0, e - 1)) if c.draw(st.booleans()) else 0 for e in t.shape)
    ends = tuple(c.draw(st.integers(b + 1, e)) for b, e in zip(begins, t.shape, strict=True))
    step = tuple(c.draw(st.sampled_from((1, 1, 1, 2))) for _ in t.shape)
    return c.op("slice_static", x, begins=begins, ends=ends, step=step)


def _padded(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    padding = tuple(c.draw(st.sampled_from((0, 0, 0, 1, 13, 32))) for _ in range(2 * t.rank))
    return c.op("pad", x, padding=padding, value=0.0)


def _repeated(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    return c.op("repeat", x, repeat_dimensions=tuple(c.draw(st.sampled_from((1, 1, 2, 3))) for _ in t.shape))


def _looked_up(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    """Rows of a table, beside what is there."""
    ids, table = c.argument(t.shape[:-1], DType.I32), c.argument((50, t.shape[-1]))
    return c.op("add", x, c.op("embedding", ids, table))


def _attended(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    """Heads of a sequence over keys and values, with a mask, causal, or neither."""
    batch, rows, width = (1, *t.shape)[-3:] if t.rank < 4 else (t.shape[0] * t.shape[1], *t.shape[2:])
    heads = c.draw(st.sampled_from([h for h in (1, 2, 4, 5) if width % h == 0]))
    apart = c.op("reshape", x, shape=(batch, rows, heads, width // heads))
    query = c.op("permute", apart, permutation=(0, 2, 1, 3))
    causal = c.draw(st.booleans())
    keys = rows if causal else c.draw(_SIDE)
    key, value = (c.argument((batch, heads, keys, width // heads)) for _ in range(2))
    mask = None if causal or c.draw(st.booleans()) else c.argument((1, 1, rows, keys))
    found = c.op("scaled_dot_product_attention", query, key, value, mask, is_causal=causal)
    together = c.op("permute", found, permutation=(0, 2, 1, 3))
    return c.op("reshape", together, shape=t.shape)


def _windowed(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    """Images of what has rank 4, or of rows as pixels of an image that is 8 wide."""
    pixels, channels = t.size // t.shape[-1], t.shape[-1]
    if t.rank != 4:
        x = c.op("reshape", x, shape=(1, 8, pixels // 8, channels) if pixels % 8 == 0 else (1, 1, pixels, channels))
    _, height, width, _ = read_type(x.type).shape
    side = c.draw(st.sampled_from((1, 2, 3)))
    window = {"stride": c.draw(st.sampled_from((1, 1, 2))), "dilation": 1}
    if min(height, width) < side:
        return x
    kind = c.draw(st.sampled_from(("max_pool2d", "avg_pool2d", "conv2d", "depthwise")))
    if kind.endswith("pool2d"):
        return c.op(kind, x, kernel=side, padding=0, ceil_mode=False, **window)
    groups, outputs = (channels, channels) if kind == "depthwise" else (1, c.draw(_SIDE))
    weight = c.argument((outputs, channels // groups, side, side))
    bias = c.argument((1, 1, 1, outputs)) if c.draw(st.booleans()) else None
    return c.op("conv2d", x, weight, bias, padding=side // 2, groups=groups, **window)


def _cast(c: _Chain, x: ir.Value, t: TensorType) -> ir.Value:
    other = TensorType(t.shape, c.draw(st.sampled_from((DType.I32, DType.UI16, DType.BF16, DType.F32))))
    return c.typed("typecast", t, c.typed("typecast", other, x))


_STEPS: tuple[Step, ...] = (
    *(_unary, _binary, _binary, _chosen, _clamped, _product, _product, _squared, _softmax, _norm, _norm, _reduced),
    *(_scanned, _sorted, _best, _permuted, _reshaped, _joined, _sliced, _padded, _repeated, _looked_up, _attended),
    *(_windowed, _windowed, _cast),
)


def chain(draw: Draw, most: int = 8) -> str:
    """The text of a module of one function `f` of up to so many steps."""
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("f", ([], []))
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            c = _Chain(draw, draw(st.sampled_from((DType.F32, DType.BF16))), block)
            lead = draw(st.lists(_LEAD, max_size=2))
            c.values.append(c.argument((*lead, draw(_SIDE), draw(_SIDE))))
            for step in draw(st.lists(st.sampled_from(_STEPS), min_size=1, max_size=most)):
                _take(c, step)
            func.ReturnOp(dict.fromkeys(c.values[-2:]))
        returned = [v.type for v in dict.fromkeys(c.values[-2:])]
        types = ir.FunctionType.get([a.type for a in block.arguments], returned)
        function.attributes["function_type"] = ir.TypeAttr.get(types)
        return str(module)


def _take(c: _Chain, step: Step) -> None:
    x = c.draw(st.sampled_from(c.values[-3:]))
    made = step(c, x, read_type(x.type))
    t = read_type(made.type)
    if 2 <= t.rank <= 4 and 0 < t.size <= _LARGEST:
        c.values.append(made)
