"""One op of any kind in a form at random: its rank, extents, attributes, formats, layouts and cores."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseUnary, Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import DType, TensorType
from ttstack.placement.grids import flat_grid, shard_grid
from ttstack.system_desc import ChipDesc

Shape = tuple[int, ...]

_EXTENTS = (1, 2, 3, 5, 7, 16, 31, 32, 33, 40, 64, 96, 100, 128, 160, 255, 320, 512, 1000, 1024)
_LEADING = (1, 1, 2, 3, 4, 7, 8)
_MOST = 1 << 22
"""Elements of a tensor, at most."""

_REALS = (DType.BF16, DType.BF16, DType.BF16, DType.BFP8_B, DType.F32, DType.F32)
_PLAIN = (DType.BF16, DType.BF16, DType.F32)
_WHOLE = (DType.SI32, DType.UI32)

_UNARY = [n for n, op in OPS.items() if issubclass(op, EltwiseUnary) and not op.attribute_specs()]
_BINARY = ("add", "subtract", "multiply", "div", "maximum", "minimum", "gt", "le", "eq", "ne", "pow", "logical_and")


def drawn(random: Random, chip: ChipDesc) -> tuple[str, DeviceOp]:
    """Its kind, and the op."""
    while True:
        family = random.choice(_FAMILIES)
        try:
            op, formats, tiled = family(random)
            sizes = [t.size for t in (*op.operands, *op.results)]
        except ValueError:  # what the definition does not allow
            continue
        if max(sizes) <= _MOST and all(sizes):
            return _placed(random, chip, op, formats, tiled=tiled)


def _placed(random: Random, chip: ChipDesc, op: Op, formats: Sequence[DType], *, tiled: bool) -> tuple[str, DeviceOp]:
    """The op with memories: interleaved, or where all tensors are matrices of tiles, in shards."""
    device = Grid(*chip.grid)
    sharded = tiled and random.random() < _SHARDED.get(op.mnemonic, 0.0)
    layouts = [
        _layout(random, t, dtype, device, tiled=tiled, sharded=sharded and t.rank > 1)
        for t, dtype in zip((*op.operands, *op.results), formats, strict=True)
    ]
    count, result = len(op.operands), layouts[-1]
    grid = next((layout.grid for layout in reversed(layouts) if layout.grid), None)
    spread = SPREADS[result.memory_layout] if result.sharded else Spread.FLAT
    placed = DeviceOp(op, tuple(layouts[:count]), tuple(layouts[count:]), grid or flat_grid(op.loops, device), spread)
    form = " in shards" if any(layout.sharded for layout in layouts) else "" if tiled else " in rows"
    return f"{op.mnemonic if op.mnemonic not in _UNARY else 'unary'}{form}", placed


_SHARDED = {"add": 0.4, "multiply": 0.4, "relu": 0.5, "exp": 0.5, "typecast": 0.5, "where": 0.3, "to_layout": 0.6}
"""How often ops whose kernels take shards of any kind get some."""


def _layout(random: Random, t: TensorType, dtype: DType, device: Grid, *, tiled: bool, sharded: bool) -> Layout:
    memory = random.choice((MemorySpace.DRAM, MemorySpace.DRAM, MemorySpace.L1))
    if not sharded or random.random() < 0.3:
        return Layout(dtype, tiled or dtype.is_block, memory)
    kind = random.choice(tuple(SPREADS))
    grid = shard_grid(t, kind, device) if random.random() < 0.6 else None
    odd = Grid(random.randint(1, device.rows), random.randint(1, device.cols))
    return Layout(dtype, True, MemorySpace.L1, kind, grid or odd)


def _shape(random: Random, least: int = 1, most: int = 6) -> Shape:
    rank = min(random.choice((1, 2, 2, 3, 3, 4, 4, 5, 6)), most)
    rank = max(rank, least)
    lead = tuple(random.choice(_LEADING) for _ in range(max(rank - 2, 0)))
    return (*lead, *(random.choice(_EXTENTS) for _ in range(min(rank, 2))))


def _type(shape: Shape, dtype: DType) -> TensorType:
    return TensorType(shape, DType.BF16 if dtype.is_block else dtype)


Form = tuple[Op, list[DType], bool]
"""An op, the formats of its operands and results, and whether they are tiles."""


def _unary(random: Random) -> Form:
    dtype = random.choice(_REALS)
    t = _type(_shape(random), dtype)
    name = random.choice(_UNARY)
    truth = [t.with_dtype(DType.I1)] if name in ("isfinite", "signbit", "logical_not") else []
    return OPS[name].on([t], {}, *truth), [dtype, dtype], True


def _repeated(random: Random, shape: Shape) -> Shape:
    return tuple(1 if random.random() < 0.2 else extent for extent in shape)


def _binary(random: Random) -> Form:
    name, dtype = random.choice(_BINARY), random.choice(_REALS)
    shape = _shape(random)
    sides = [shape, _repeated(random, shape)]
    random.shuffle(sides)
    types = [_type(side, dtype) for side in sides]
    out = [_type(shape, dtype)] if name in ("gt", "le", "eq", "ne", "logical_and") else []
    return OPS[name].on(types, {}, *out), [dtype] * 3, True


def _where(random: Random) -> Form:
    dtype, shape = random.choice(_REALS), _shape(random)
    test = random.choice((dtype, DType.BF16, DType.SI32))
    sides = [_repeated(random, shape) for _ in range(3)]
    types = [_type(side, d) for side, d in zip(sides, (test, dtype, dtype), strict=True)]
    return OPS["where"].on(types, {}), [test, dtype, dtype, dtype], True


def _cast(random: Random) -> Form:
    given, made = (random.choice((*_REALS, *_WHOLE, DType.UI16)) for _ in range(2))
    plain = [DType.BF16 if d.is_block else d for d in (given, made)]
    return Typecast(input=TensorType(_shape(random), plain[0]), dtype=plain[1]), [given, made], True


def _reduced(random: Random) -> Form:
    kind, dtype, shape = random.choice(("sum", "mean", "max", "min", "prod")), random.choice(_REALS), _shape(random)
    dims = tuple(sorted(random.sample(range(len(shape)), random.randint(1, min(len(shape), 3)))))
    attributes = {"dim_arg": dims, "keep_dim": random.random() < 0.6}
    return OPS[kind].on([_type(shape, dtype)], attributes), [dtype] * 2, True


def _along(random: Random) -> Form:
    """A softmax or a scan along any dimension."""
    dtype, shape = random.choice(_REALS), _shape(random)
    at = random.randrange(len(shape))
    name = random.choice(("softmax", "softmax", "cumsum"))
    attributes: dict[str, Any] = {"dim": at} if name == "cumsum" else {"dimension": at, "numericStable": True}
    return OPS[name].on([_type(shape, dtype)], attributes), [dtype] * 2, True


def _argmax(random: Random) -> Form:
    dtype, shape = random.choice(_PLAIN), _shape(random)
    at = random.randrange(len(shape))
    made = TensorType(tuple(1 if d == at else e for d, e in enumerate(shape)), DType.UI32)
    return (
        OPS["argmax"].on([_type(shape, dtype)], {"dim_arg": (at,), "keep_dim": True}, made),
        [dtype, DType.UI32],
        True,
    )


def _moved(random: Random) -> Form:
    """An op that moves elements, of tiles or of rows."""
    tiled = random.random() < 0.7
    dtype = random.choice((*_REALS, *_WHOLE) if tiled else (*_PLAIN, *_WHOLE))
    shape = _shape(random)
    name, attributes = random.choice(_MOVES)(random, shape)
    return OPS[name].on([_type(shape, dtype)], attributes), [dtype] * 2, tiled


def _permute(random: Random, shape: Shape) -> tuple[str, dict[str, Any]]:
    return "permute", {"permutation": tuple(random.sample(range(len(shape)), len(shape)))}


def _reshape(random: Random, shape: Shape) -> tuple[str, dict[str, Any]]:
    rest, at = list(shape), random.randrange(len(shape))
    factor = random.choice([f for f in range(1, rest[at] + 1) if rest[at] % f == 0])
    rest[at : at + 1] = [factor, rest[at] // factor]
    if random.random() < 0.5 and at:
        rest[at - 1 : at + 1] = [rest[at - 1] * rest[at]]
    return "reshape", {"shape": tuple(rest)}


def _slice(random: Random, shape: Shape) -> tuple[str, dict[str, Any]]:
    begins = tuple(random.choice((0, 0, random.randrange(extent))) for extent in shape)
    sides = zip(begins, shape, strict=True)
    ends = tuple(random.choice((extent, random.randint(begin + 1, extent))) for begin, extent in sides)
    return "slice_static", {"begins": begins, "ends": ends, "step": (1,) * len(shape)}


def _pad(random: Random, shape: Shape) -> tuple[str, dict[str, Any]]:
    behind = [random.choice((0, 0, 1, 5, 32)) for _ in shape]
    return "pad", {"padding": tuple(n for more in behind for n in (0, more)), "value": 0.0}


def _repeat(random: Random, shape: Shape) -> tuple[str, dict[str, Any]]:
    return "repeat", {"repeat_dimensions": tuple(random.choice((1, 1, 2, 3)) for _ in shape)}


_MOVES: tuple[Callable[[Random, Shape], tuple[str, dict[str, Any]]], ...] = (_permute, _reshape, _slice, _pad, _repeat)


def _layouts(random: Random) -> Form:
    dtype = random.choice((*_REALS, *_WHOLE))
    return ToLayout(input=_type(_shape(random, least=2), dtype)), [dtype] * 2, True


def _indexed(random: Random) -> Form:
    """A gather or a scatter along any dimension."""
    dtype, shape = random.choice((*_PLAIN, DType.SI32)), _shape(random)
    at = random.randrange(len(shape))
    picked = tuple(random.choice((1, 8, 32, 50)) if d == at else extent for d, extent in enumerate(shape))
    index, x = TensorType(picked, DType.UI32), _type(shape, dtype)
    if random.random() < 0.5:
        return OPS["gather"].on([x, index], {"dim": at}), [dtype, DType.UI32, dtype], True
    return OPS["scatter"].on([x, index, _type(picked, dtype)], {"dim": at}), [dtype, DType.UI32, dtype, dtype], True


_FAMILIES: tuple[Callable[[Random], Form], ...] = (
    _unary,
    _binary,
    _binary,
    _where,
    _cast,
    _reduced,
    _reduced,
    _along,
    _argmax,
    _moved,
    _moved,
    _moved,
    _layouts,
    _indexed,
)
