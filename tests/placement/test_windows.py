"""Convolutions and pools in shards: what cores hold, that values stay, and what is refused."""

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest

import ttstack
from ttstack.device.device_op import SPREADS, DeviceOp
from ttstack.device.halo import Halo
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.diagnostics import OverrideError
from ttstack.ops import OPS
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.ops.windows import WindowOp
from ttstack.placement.grids import shardings
from ttstack_runtime.memory_check import check_memory

CONV = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
POOL = {"kernel": (3, 3), "stride": (2, 2), "dilation": (1, 1), "padding": (1, 1), "ceil_mode": False}


def window(
    name: str, sizes: tuple[int, int, int], channels: int, kernel: tuple[int, int] = (3, 3), **changed: Any
) -> WindowOp:
    """The op on flattened images of `sizes`, with as many channels in the result."""
    images = TensorType((1, 1, prod(sizes), channels), DType.BF16)
    pool = name == "max_pool2d"
    weight = [] if pool else [TensorType((channels, channels, *kernel), DType.BF16)]
    given = (POOL if pool else CONV | ({"output_padding": (0, 0)} if "transpose" in name else {})) | changed
    op = OPS[name].on([images, *weight], {**given, "flattened_compat_info": sizes})
    assert isinstance(op, WindowOp)
    return op


def on_shards(op: WindowOp, kind: MemoryLayout, grid: Grid) -> DeviceOp:
    shards = Layout(DType.BF16, True, MemorySpace.L1, kind, grid)
    weight = [Layout(DType.BF16, filters=True)] * (len(op.operands) - 1)
    return DeviceOp(op, (shards, *weight), (shards,), grid, SPREADS[kind])


def pixels_of(op: WindowOp) -> np.ndarray[Any, Any]:
    """The number of the input's pixel at each position that windows slide over, -1 where there is none."""
    sliding = op.sliding
    sizes = [-(-w.size // apart) for w, apart in zip(sliding.windows, sliding.apart, strict=True)]
    shape = [w.size + w.low + w.high + w.overhang for w in sliding.windows]
    found = np.full((sliding.batch, *shape), -1)
    inside = [slice(w.low, w.low + w.size, a) for w, a in zip(sliding.windows, sliding.apart, strict=True)]
    found[:, *inside] = np.arange(sliding.batch * prod(sizes)).reshape(sliding.batch, *sizes)
    return found


@pytest.mark.parametrize(
    "op",
    [
        window("conv2d", (2, 20, 20), 32, padding=(1, 1)),
        window("conv2d", (1, 40, 40), 32, stride=(2, 2), padding=(1, 1)),
        window("conv2d", (3, 16, 24), 32, (3, 1), dilation=(2, 1), padding=(2, 0, 0, 0)),
        window("conv2d", (1, 28, 28), 32, (1, 1), stride=(2, 2)),
        window("conv_transpose2d", (2, 12, 12), 32, (2, 2), stride=(2, 2)),
        window("conv_transpose2d", (1, 12, 12), 32, stride=(2, 2), padding=(1, 1), output_padding=(1, 1)),
        window("max_pool2d", (2, 33, 31), 32),
        window("max_pool2d", (1, 18, 18), 32, ceil_mode=True),
    ],
    ids=str,
)
def test_cores_hold_what_their_windows_see(op: WindowOp):
    device_op = on_shards(op, MemoryLayout.HEIGHT_SHARDED, Grid(2, 4))
    halo = Halo.of(device_op)
    assert halo is not None
    own = device_op.operands[0].shard(op.operands[0])[0] * TILE
    pixels, windows = pixels_of(op), op.sliding.windows
    positions = np.arange(pixels.size).reshape(pixels.shape)
    starts = positions[:, *(slice(0, w.count * w.stride, w.stride) for w in windows)].ravel()
    span = positions[(0, *(w.extent - 1 for w in windows))] + 1
    cuts = [*range(0, starts.size, device_op.core_domain[0] * TILE), starts.size]
    held, taken = [0], [0]
    for core, (first, end) in enumerate(pairwise(cuts)):
        seen = pixels.ravel()[starts[first] : starts[end - 1] + span]
        theirs = (seen >= 0) & (seen // own != core)
        held.append(seen.size)
        taken.append(int(theirs.sum()))
    assert (halo.reach.held, halo.reach.taken) == (max(held), max(taken))


def flat(side: int) -> str:
    return (
        f"flattened_compat_info = #ttir<flattened_compat batch_size = 2, input_height = {side}, input_width = {side}>"
    )


PLAIN = "stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32"
CHAIN = f"""
func.func @f(%x: tensor<1x1x800x64xbf16>, %v: tensor<64x64x3x3xbf16>, %w: tensor<96x64x3x3xbf16>) -> tensor<1x1x200x96xbf16> {{
  %0 = "ttir.conv2d"(%x, %v) {{{PLAIN}, {flat(20)}}} : (tensor<1x1x800x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x1x800x64xbf16>
  %1 = "ttir.conv2d"(%0, %w) {{{PLAIN}, {flat(20)}}} : (tensor<1x1x800x64xbf16>, tensor<96x64x3x3xbf16>) -> tensor<1x1x800x96xbf16>
  %2 = "ttir.max_pool2d"(%1) {{kernel = 3 : i32, stride = 2 : i32, padding = 1 : i32, dilation = 1 : i32, ceil_mode = false, {flat(20)}}}
    : (tensor<1x1x800x96xbf16>) -> tensor<1x1x200x96xbf16>
  %3 = "ttir.exp"(%2) : (tensor<1x1x200x96xbf16>) -> tensor<1x1x200x96xbf16>
  return %3 : tensor<1x1x200x96xbf16>
}}
"""


@pytest.fixture(scope="module")
def values() -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    shapes = {"x": (1, 1, 800, 64), "v": (64, 64, 3, 3), "w": (96, 64, 3, 3)}
    return {name: rng.normal(size=shape).astype("f4") / 16 for name, shape in shapes.items()}


@pytest.mark.parametrize("kind", ["height_sharded", "width_sharded", "block_sharded"])
def test_a_chain_stays_in_shards_and_keeps_its_values(kind: str, values: dict[str, np.ndarray[Any, Any]]):
    asked = [
        {"location": "*", "name": "conv2d", "number": 0, "layout": kind},
        {"location": "*", "name": "conv2d", "number": 1, "layout": kind, "operands": [{"layout": kind}, None]},
        {"location": "*", "name": "max_pool2d", "layout": kind, "operands": [{"layout": kind}]},
    ]
    plain, program = ttstack.compile(CHAIN, placement="dram"), ttstack.compile(CHAIN, overrides={"ops": asked})
    found = {op.name: [str(r.layout.memory_layout) for r in op.results] for op in program.cost().ops}
    assert found["conv2d"] == found["max_pool2d"] == [kind]
    check_memory(program.function(), program.binary.system_desc.chips[0])
    names = dict(zip(program.inputs(), values.values(), strict=True))
    want, got = (next(iter(p.run(names).outputs.values())) for p in (plain, program))
    np.testing.assert_array_equal(got, want)


def test_a_chain_in_shards_is_faster_than_in_dram_and_shows_its_halo():
    plain, program = (ttstack.compile(CHAIN, placement=p, placement_caution=0).cost() for p in ("dram", "optimal"))
    assert program.total_ns < plain.total_ns
    windowed = [op for op in program.ops if op.name in ("conv2d", "max_pool2d")]
    assert all(op.terms["halo"] > 0 for op in windowed)
    assert any(op.results[0].layout.sharded for op in windowed)


def test_blocks_of_a_convolution_share_the_windows_of_their_channels():
    """The copy of a core is as narrow as its channels are few."""
    op = window("conv2d", (1, 16, 16), 512, padding=(1, 1))
    height, block = (
        Halo.of(on_shards(op, kind, grid))
        for kind, grid in ((MemoryLayout.HEIGHT_SHARDED, Grid(1, 8)), (MemoryLayout.BLOCK_SHARDED, Grid(8, 8)))
    )
    assert height is not None
    assert block is not None
    assert (height.reach, height.channels, block.channels) == (block.reach, 512, 64)


@pytest.mark.parametrize(
    "op",
    [
        OPS["conv3d"].on(
            [TensorType((1, 8, 8, 32, 32), DType.BF16), TensorType((32, 32, 3, 3, 3), DType.BF16)],
            {"stride": (1, 1, 1), "padding": (1, 1, 1), "groups": 1},
        ),
        OPS["conv2d"].on(
            [TensorType((1, 8, 20, 32), DType.BF16), TensorType((32, 32, 3, 3), DType.BF16)], CONV | {"padding": (1, 1)}
        ),
    ],
    ids=["volumes", "rows padded to tiles"],
)
def test_what_lies_otherwise_takes_no_shards(op: WindowOp):
    assert not list(shardings(op, Grid(8, 8)))


def test_an_override_that_cannot_be_says_so():
    given, filters = "tensor<1x8x8x32x32xbf16>", "tensor<32x32x3x3x3xbf16>"
    attributes = "{stride = array<i32: 1, 1, 1>, padding = array<i32: 1, 1, 1>, groups = 1 : i32}"
    text = (
        f"func.func @volumes(%x: {given}, %w: {filters}) -> {given} {{\n"
        f'  %0 = "ttir.conv3d"(%x, %w) {attributes} : ({given}, {filters}) -> {given}\n  return %0 : {given}\n}}'
    )
    with pytest.raises(OverrideError) as error:
        ttstack.compile(text, overrides={"ops": [{"location": "*", "name": "conv3d", "layout": "height_sharded"}]})
    assert "its result cannot be height_sharded, it can be interleaved" in str(error.value.diagnostic.notes)


@pytest.mark.parametrize(
    ("sizes", "channels", "kernel", "given"),
    [
        ((1, 64, 64), 8192, 3, {"padding": (1, 1)}),
        ((1, 64, 64), 1024, 31, {"padding": (15, 15), "groups": 1024}),
        ((1, 256, 256), 512, 3, {"padding": (64, 64), "dilation": (64, 64)}),
        ((1, 2, 2), 8192, 3, {"padding": (1, 1), "groups": 8192}),
    ],
    ids=["wide", "depthwise", "far apart", "depthwise, of a tiny image"],
)
def test_windows_that_are_wide_are_divided_until_they_fit(
    sizes: tuple[int, int, int], channels: int, kernel: int, given: dict[str, Any]
):
    values = CONV | given
    said = ", ".join(
        f"{name} = {v} : i32" if isinstance(v, int) else f"{name} = array<i32: {', '.join(map(str, v))}>"
        for name, v in values.items()
    )
    n, h, w = sizes
    info = f"flattened_compat_info = #ttir<flattened_compat batch_size = {n}, input_height = {h}, input_width = {w}>"
    x = f"tensor<1x1x{prod(sizes)}x{channels}xf32>"
    weight = f"tensor<{channels}x{channels // values['groups']}x{kernel}x{kernel}xf32>"
    text = f"""func.func @f(%x: {x}, %w: {weight}) -> {x} {{
      %0 = "ttir.conv2d"(%x, %w) {{{said}, {info}}} : ({x}, {weight}) -> {x}
      return %0 : {x}
    }}"""
    program = ttstack.compile(text, placement="dram")
    check_memory(program.function(), program.binary.system_desc.chips[0])
