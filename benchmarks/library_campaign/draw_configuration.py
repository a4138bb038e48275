"""One op with layouts, cores and blocks at random, near what kernels can take."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from ttstack.device.block_configs import block_configs
from ttstack.device.device_op import SPREADS, DeviceOp, Spread, default_fidelity
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import spread_configs, spreads
from ttstack.device.program_config import AttentionConfig, MatmulConfig, MatmulProgram
from ttstack.ops.base import OPS, Op
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.placement.grids import flat_grid, legal_grids, shard_grid
from ttstack.system_desc import ChipDesc

Made = tuple[str, DeviceOp]

_TILES = (1, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64, 96)
_FORMATS = (DType.BF16, DType.BF16, DType.BF16, DType.BFP8_B, DType.F32)


def drawn(random: Random, chip: ChipDesc) -> Made:
    """A kind of configuration, and the op with it."""
    while True:
        family = random.choices(list(_FAMILIES), list(_FAMILIES.values()))[0]
        if found := family(random, chip):
            return found


def _extent(random: Random) -> int:
    """Elements of a dimension: whole tiles more often than not."""
    tiles = random.choice(_TILES)
    return TILE * tiles - (random.randrange(TILE) if random.random() < 0.2 else 0)


def _type(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


def _place(random: Random, t: TensorType, dtype: DType, device: Grid, kinds: Sequence[MemoryLayout]) -> Layout:
    """A memory and a spread; shards on cores that divide the tensor evenly, or on any."""
    kind = random.choice((MemoryLayout.INTERLEAVED, MemoryLayout.INTERLEAVED, *kinds))
    if kind is MemoryLayout.INTERLEAVED:
        return Layout(dtype, memory_space=random.choice((MemorySpace.DRAM, MemorySpace.L1)))
    grid = shard_grid(t, kind, device) if random.random() < 0.7 else _grid(random, device)
    return Layout(dtype, True, MemorySpace.L1, kind, grid)


def _grid(random: Random, device: Grid) -> Grid:
    return Grid(random.randint(1, device.rows), random.randint(1, device.cols))


def _matmul(random: Random, chip: ChipDesc) -> Made | None:
    """A product in blocks of which one is a little larger or smaller than what we would choose."""
    device, dtype = Grid(*chip.grid), random.choice(_FORMATS)
    m, k, n = (_extent(random) for _ in range(3))
    batch = random.choice((None, None, None, 2, 6))
    lead = () if batch is None else (1, batch)
    weights = () if batch is None or random.random() < 0.5 else lead
    op = OPS["matmul"].on([_type(*lead, m, k), _type(*weights, k, n)], {})
    a, c = op.operands[0], op.results[0]
    in1 = Layout(dtype, memory_space=random.choice((MemorySpace.DRAM, MemorySpace.DRAM, MemorySpace.L1)))
    kinds = () if weights else tuple(SPREADS)
    in0 = _place(random, a, dtype, device, kinds)
    result = _place(random, c, random.choice((dtype, dtype, DType.F32)), device, kinds)
    grid = next((layout.grid for layout in (result, in0) if layout.grid), None)
    base = DeviceOp(op, (in0, in1), (result,), device, fidelity=default_fidelity(dtype, dtype))
    base = replace(base, spread=random.choice(spreads(base)))
    base = replace(base, grid=grid or random.choice(legal_grids(op, device)))
    found = list(spread_configs(base, chip))
    if not found:
        return None
    config = random.choice(found)
    if random.random() < 0.75:
        config = _changed(random, config)
    return f"matmul {config.type.removesuffix('ProgramConfig').removeprefix('MatmulMultiCore')}", replace(
        base, config=config
    )


_CHANGES: tuple[Callable[[int], int], ...] = (
    lambda x: x + 1,
    lambda x: max(x - 1, 1),
    lambda x: 2 * x,
    lambda x: max(x // 2, 1),
)


def _changed(random: Random, config: MatmulConfig) -> MatmulConfig:
    """With one or two fields a little or twice as large, or smaller, of those that its program is called with."""
    for _ in range(random.choice((1, 1, 2))):
        tiles = config.tiles()
        follow = ("per_core_M", "out_block_w") if config.type is MatmulProgram.REUSE else ()
        name = random.choice([name for name in tiles if name not in follow])
        config = replace(config, **{name: random.choice(_CHANGES)(tiles[name])})
    return config


def _norm(random: Random, chip: ChipDesc) -> Made:
    """A norm over shards of any kind, with its scale or without."""
    device, dtype = Grid(*chip.grid), random.choice(_FORMATS)
    rows, width = _extent(random), _extent(random)
    x = _type(rows, width)
    mnemonic, scale = random.choice(("layer_norm", "rms_norm")), random.random() < 0.5
    op = OPS[mnemonic].on([x, *([_type(width)] if scale else [])], {"normalized_shape": (width,)})
    source = _place(random, x, dtype, device, tuple(SPREADS))
    result = source if random.random() < 0.7 else _place(random, x, dtype, device, tuple(SPREADS))
    given = (source, *([Layout(dtype)] if scale else []))
    return _rows(mnemonic, op, given, result, random, chip)


def _softmax(random: Random, chip: ChipDesc) -> Made:
    """A softmax over the last dimension, or another."""
    device, dtype = Grid(*chip.grid), random.choice(_FORMATS)
    x = _type(random.choice((1, 3)), _extent(random), _extent(random))
    op = OPS["softmax"].on([x], {"dimension": random.choice((2, 2, 2, 1)), "numericStable": random.random() < 0.5})
    source = _place(random, x, dtype, device, (MemoryLayout.HEIGHT_SHARDED,))
    result = _place(random, x, dtype, device, (MemoryLayout.HEIGHT_SHARDED,))
    return _rows("softmax", op, (source,), result, random, chip)


def _rows(kind: str, op: Op, operands: tuple[Layout, ...], result: Layout, random: Random, chip: ChipDesc) -> Made:
    """An op that keeps rows, with one of its own configurations."""
    source = operands[0]
    spread = SPREADS[source.memory_layout] if source.sharded else Spread.FLAT
    grid = source.grid or flat_grid(op.loops, Grid(*chip.grid))
    base = DeviceOp(op, operands, (result,), grid, Spread.FLAT if spread is Spread.ROWS else spread)
    held = f" in {source.memory_layout}" if source.sharded else ""
    return f"{kind}{held}", replace(base, config=random.choice(list(block_configs(base, chip))))


def _eltwise(random: Random, chip: ChipDesc) -> Made:
    """One, two or three operands, alike or not, of one shape or repeated."""
    device, dtype = Grid(*chip.grid), random.choice(_FORMATS)
    mnemonic = random.choice(
        ("relu", "exp", "gelu", "sigmoid", "add", "multiply", "subtract", "div", "maximum", "gt", "where")
    )
    shape = random.choice(((_extent(random), _extent(random)), (2, _extent(random), _extent(random))))
    count = len(OPS[mnemonic].operand_specs())
    shapes = [tuple(e if random.random() < 0.85 else 1 for e in shape) for _ in range(count - 1)]
    types = [_type(*shape), *(_type(*of) for of in shapes)]
    if count == 1:
        types = types[:1]
    random.shuffle(types)
    out = [TensorType(shape, DType.BF16)] if mnemonic == "gt" else []
    op = OPS[mnemonic].on(types, {}, *out)
    first = _place(random, op.results[0], dtype, device, tuple(SPREADS))
    operands = tuple(
        first if t.shape == shape and random.random() < 0.6 else _place(random, t, dtype, device, tuple(SPREADS))
        for t in types
    )
    result = first if random.random() < 0.7 else _place(random, op.results[0], dtype, device, tuple(SPREADS))
    spread = SPREADS[result.memory_layout] if result.sharded else Spread.FLAT
    device_op = DeviceOp(op, operands, (result,), result.grid or flat_grid(op.loops, device), spread)
    sharded = any(layout.sharded for layout in device_op.layouts())
    return f"eltwise of {count}{' in shards' if sharded else ''}", device_op


def _conv(random: Random, chip: ChipDesc) -> Made | None:
    """A convolution of pixels in one dimension, in shards or pages."""
    device, dtype = Grid(*chip.grid), random.choice((DType.BF16, DType.BF16, DType.BFP8_B))
    n, side = random.choice((1, 2)), random.choice((7, 8, 14, 16, 28, 32, 56))
    channels, outputs = (random.choice((16, 32, 64, 96, 128, 256, 512)) for _ in range(2))
    kernel, stride = random.choice((1, 3, 3, 5)), random.choice((1, 1, 2))
    groups = random.choice((1, 1, 1, channels))
    outputs = channels if groups > 1 else outputs
    attributes: dict[str, Any] = {"stride": stride, "padding": kernel // 2, "dilation": 1, "groups": groups}
    attributes["flattened_compat_info"] = (n, side, side)
    types = [_type(1, 1, n * side * side, channels), _type(outputs, channels // groups, kernel, kernel)]
    op = OPS["conv2d"].on(types, attributes)
    kinds = tuple(SPREADS)
    source = _place(random, op.operands[0], dtype, device, kinds)
    result = _place(random, op.results[0], dtype, device, kinds)
    weight = Layout(dtype, filters=True)
    grid = result.grid or source.grid or device
    base = DeviceOp(op, (source, weight), (result,), grid, fidelity=default_fidelity(dtype))
    base = replace(base, spread=random.choice(spreads(base)))
    found = list(spread_configs(base, chip))
    held = " in shards" if source.sharded or result.sharded else ""
    return (f"conv2d{held}", replace(base, config=random.choice(found))) if found else None


def _attention(random: Random, chip: ChipDesc) -> Made:
    """Attention with chunks of any size, a mask or none."""
    device, dtype = Grid(*chip.grid), random.choice(_FORMATS[:4])
    heads, rows, width = random.choice((1, 4, 12)), _extent(random), TILE * random.choice((1, 2, 3, 4))
    keys = rows if random.random() < 0.6 else _extent(random)
    q, kv = _type(1, heads, rows, width), _type(1, heads, keys, width)
    mask = random.random() < 0.5
    causal = not mask and rows == keys and random.random() < 0.5
    op = OPS["scaled_dot_product_attention"].on(
        [q, kv, kv, *([_type(1, 1, rows, keys)] if mask else [])], {"is_causal": causal}
    )
    memories = [random.choice((MemorySpace.DRAM, MemorySpace.DRAM, MemorySpace.L1)) for _ in range(5)]
    layouts = [Layout(dtype, memory_space=space) for space in memories]
    if mask:
        layouts[3] = replace(layouts[3], dtype=DType.BF16)
    base = DeviceOp(op, tuple(layouts[: 3 + mask]), (layouts[4],), device)
    most = base.dispatch.domain[-2:]
    chunks = [min(random.choice((1, 2, 3, 4, 8, 16, 32)), extent) for extent in most]
    return "attention", replace(base, config=AttentionConfig(*chunks))


_FAMILIES: dict[Callable[[Random, ChipDesc], Made | None], float] = {
    _matmul: 0.42,
    _norm: 0.15,
    _softmax: 0.06,
    _eltwise: 0.2,
    _conv: 0.09,
    _attention: 0.08,
}
