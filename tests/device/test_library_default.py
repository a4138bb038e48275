"""What `ttnn` does where its caller says nothing: cores and bytes that 0.81.1 shows on a mock n150 without a config."""

import math

import pytest

from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp, Fidelity, Spread, default_fidelity
from ttstack.device.footprint import footprint
from ttstack.device.kernel_revisions import kernel_changes
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.device.library_default import library_default
from ttstack.device.matmul.default import default_matmul
from ttstack.device.matmul_blocks import per_core
from ttstack.device.program_config import MatmulConfig, MatmulProgram, Sums
from ttstack.ops.base import OPS, Op
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc, load
from ttstack.system_desc.at_release import chip_at_release

CHIP = load("wormhole").chips[0]


def in_dram(op: Op, dtype: DType) -> DeviceOp:
    held = (Layout(dtype),) * len(op.operands)
    return DeviceOp(op, held, (Layout(dtype),), Grid(*CHIP.grid), fidelity=default_fidelity(dtype))


@pytest.mark.parametrize(
    ("a", "n", "cores", "bf16", "bfp8"),
    [
        ((512, 512), 512, 64, 40960, 29952),
        ((64, 768), 3072, 48, 40960, 29952),
        ((2048, 1024), 1024, 64, 262144, 204800),
        ((32, 4096), 4096, 64, 28672, 19328),
        ((1, 2, 160, 2048), 3072, 48, 77824, 61824),
        ((1, 6, 64, 128), 512, 16, 16384, 12800),
        ((197, 768), 768, 56, 55296, 35520),
        ((8, 197, 768), 2304, 36, 102400, 83072),
        ((32, 32), 32, 1, 6144, 3264),
        ((32, 768), 50257, 63, 264192, 191552),
    ],
)
def test_blocks_of_products(a: tuple[int, ...], n: int, cores: int, bf16: int, bfp8: int):
    op = OPS["matmul"].on([TensorType(a, DType.BF16), TensorType((a[-1], n), DType.BF16)], {})
    for dtype, nbytes in ((DType.BF16, bf16), (DType.BFP8_B, bfp8)):
        found = library_default(in_dram(op, dtype), CHIP)
        assert found is not None
        assert (found.cores, footprint(found, CHIP)) == (cores, nbytes)


@pytest.mark.parametrize(
    ("board", "image", "channels", "made", "window", "spread", "shard"),
    [
        ("wormhole", (1, 64, 14), 48, 512, (3, 1, 0, 1), Spread.BLOCKS, (96, 64)),
        ("wormhole", (1, 128, 28), 320, 2048, (1, 2, 0, 1), Spread.BLOCKS, (128, 256)),
        ("wormhole", (8, 28, 28), 256, 32, (2, 1, 1, 1), Spread.BLOCKS, (864, 32)),
        ("wormhole", (2, 64, 64), 16, 128, (3, 2, 1, 1), Spread.ROWS, (32, 128)),
        ("wormhole", (8, 128, 14), 32, 256, (5, 1, 2, 1), Spread.ROWS, (224, 256)),
        ("wormhole", (8, 64, 64), 24, 24, (1, 2, 0, 24), Spread.ROWS, (128, 32)),
        ("wormhole", (1, 16, 14), 2048, 2048, (5, 2, 0, 2048), Spread.COLUMNS, (32, 32)),
        ("wormhole", (1, 28, 28), 2048, 32, (1, 2, 0, 1), Spread.COLUMNS, (224, 32)),
        ("wormhole", (1, 8, 8), 32, 64, (2, 1, 1, 1), Spread.ROWS, (32, 64)),  # blocks would be on 6 cores
        ("wormhole", (1, 14, 14), 736, 288, (3, 2, 1, 1), Spread.BLOCKS, (32, 64)),
        ("wormhole", (8, 7, 28), 736, 2144, (1, 2, 0, 1), Spread.BLOCKS, (64, 288)),
        ("wormhole", (1, 7, 7), 608, 1184, (3, 2, 0, 1), Spread.COLUMNS, (32, 32)),
        ("blackhole_p150", (1, 32, 32), 16, 16, (5, 2, 0, 16), Spread.ROWS, (32, 32)),
        ("blackhole_p150", (1, 224, 224), 16, 128, (5, 1, 0, 1), Spread.ROWS, (384, 128)),
        ("blackhole_p150", (8, 16, 16), 64, 512, (3, 1, 1, 1), Spread.BLOCKS, (224, 64)),
        ("blackhole_p150", (1, 7, 7), 3, 2048, (2, 1, 0, 1), Spread.BLOCKS, (32, 160)),
        ("blackhole_p150", (1, 20, 14), 416, 736, (5, 1, 0, 1), Spread.BLOCKS, (32, 64)),
        ("blackhole_p150", (2, 7, 7), 224, 224, (3, 2, 1, 1), Spread.COLUMNS, (32, 32)),
    ],
)
def test_shards_of_convolutions(
    board: str,
    image: tuple[int, int, int],
    channels: int,
    made: int,
    window: tuple[int, int, int, int],
    spread: Spread,
    shard: tuple[int, int],
):
    chip, (kernel, stride, padding, groups) = load(board).chips[0], window
    found = library_default(convolution(image, channels, made, kernel, stride, padding, groups, chip), chip)
    assert found is not None
    assert found.spread is spread
    assert tuple(TILE * extent for extent in per_core(found)) == shard


def convolution(
    image: tuple[int, int, int],
    channels: int,
    made: int,
    kernel: int,
    stride: int,
    padding: int,
    groups: int,
    chip: ChipDesc = CHIP,
) -> DeviceOp:
    given = TensorType((1, 1, math.prod(image), channels), DType.BF16)
    weight = TensorType((made, channels // groups, kernel, kernel), DType.BF16)
    windows = {"stride": stride, "padding": padding, "dilation": 1, "groups": groups}
    op = OPS["conv2d"].on([given, weight], {**windows, "flattened_compat_info": image})
    return DeviceOp(op, (Layout(DType.BF16), Layout(DType.BF16, filters=True)), (Layout(DType.BF16),), Grid(*chip.grid))


def test_windows_of_one_pixel_are_a_product():
    found = library_default(convolution((8, 7, 56), 16, 256, 1, 1, 0, 1), CHIP)
    assert found is not None
    assert (found.cores, footprint(found, CHIP)) == (49, 53248)


def test_images_in_slices_and_side_by_side_windows_take_several_steps():
    assert library_default(convolution((1, 112, 112), 512, 96, 3, 1, 1, 1), CHIP) is None
    assert library_default(convolution((1, 224, 224), 3, 768, 16, 16, 0, 1), CHIP) is None


def test_attention_takes_a_tile_at_a_time():
    q = TensorType((1, 8, 512, 128), DType.BF16)
    found = library_default(
        in_dram(OPS["scaled_dot_product_attention"].on([q, q, q], {"is_causal": False}), DType.BF16), CHIP
    )
    assert found is not None
    assert footprint(found, CHIP) == 100352


def test_what_lies_in_l1_was_asked_for():
    op = OPS["relu"].on([TensorType((64, 64), DType.BF16)], {})
    in_l1 = Layout(DType.BF16, memory_space=MemorySpace.L1)
    assert library_default(DeviceOp(op, (in_l1,), (in_l1,), Grid(2, 2)), CHIP) is None
    assert library_default(in_dram(op, DType.BF16), CHIP) == in_dram(op, DType.BF16)


@pytest.mark.parametrize(("shape", "cores"), [((2048, 2048, 2048), (16, 64, 64)), ((192, 768, 768), (24, 24, 48))])
def test_products_of_older_releases_run_on_other_cores(shape: tuple[int, int, int], cores: tuple[int, ...]) -> None:
    m, k, n = shape
    op = OPS["matmul"].on([TensorType((m, k), DType.BF16), TensorType((k, n), DType.BF16)], {})
    chips = [chip_at_release(CHIP, ttnn) for ttnn in ("0.54", "0.55", "0.81")]
    assert tuple(default_matmul(in_dram(op, DType.BF16), chip).cores for chip in chips) == cores
    assert [change.since for change in kernel_changes(chips[0], chips[2])] == ["0.55", "0.65", "0.81"]
    assert kernel_changes(chips[1], chips[1]) == ()


def product(
    shape: tuple[int, int, int], in0: MemorySpace, out: MemorySpace, sums: Sums = Sums.BF16, chip: ChipDesc = CHIP
) -> DeviceOp:
    """What ttnn chooses for interleaved operands, the second in DRAM."""
    m, k, n = shape
    op = OPS["matmul"].on([TensorType((m, k), DType.BF16), TensorType((k, n), DType.BF16)], {})
    layouts = [Layout(DType.BF16, memory_space=space) for space in (in0, MemorySpace.DRAM, out)]
    base = DeviceOp(op, (layouts[0], layouts[1]), (layouts[2],), Grid(*chip.grid), fidelity=Fidelity.HIFI2)
    return default_matmul(base, chip, sums=sums)


@pytest.mark.parametrize(
    ("shape", "sums", "cores", "kind"),
    [
        ((1024, 640, 640), Sums.F32, (12, 56), MatmulProgram.MULTICAST_2D),
        ((1024, 2560, 640), Sums.F32, (12, 56), MatmulProgram.MULTICAST_2D),
        ((1024, 640, 640), Sums.BF16, (4, 56), MatmulProgram.MULTICAST_2D),
        ((1024, 640, 5120), Sums.F32, (64, 64), MatmulProgram.REUSE),
    ],
)
def test_results_in_l1_take_few_cores_or_a_tile_at_a_time(
    shape: tuple[int, int, int], sums: Sums, cores: tuple[int, int], kind: MatmulProgram
) -> None:
    """As in create_simple_matmul_program_config, which divides by the grid only what is all in DRAM."""
    found, in_dram = (product(shape, MemorySpace.DRAM, out, sums) for out in (MemorySpace.L1, MemorySpace.DRAM))
    assert isinstance(found.config, MatmulConfig)
    assert found.config.type is kind
    assert (found.cores, in_dram.cores) == cores


def test_operands_in_l1_leave_less_for_blocks() -> None:
    spaces = (MemorySpace.DRAM, MemorySpace.L1)
    grids = [product((2048, 8192, 1024), space, MemorySpace.L1, Sums.BF16).grid for space in spaces]
    assert grids == [Grid(4, 2), Grid(8, 4)]


def test_wide_sums_have_small_subblocks() -> None:
    for sums, tiles in ((Sums.BF16, 8), (Sums.F32, 4)):
        config = product((2048, 2048, 2048), MemorySpace.DRAM, MemorySpace.DRAM, sums).config
        assert isinstance(config, MatmulConfig)
        assert (config.out_subblock_h or 0) * (config.out_subblock_w or 0) == tiles


def test_any_tensor_in_l1_takes_few_cores() -> None:
    """As tt-metal issue 56976 measured on a Blackhole of 12x10 cores: 22 cores, and 3.9 times as long."""
    chip = load("blackhole_p150").chips[0].model_copy(update={"grid": (10, 12)})
    dram, l1 = MemorySpace.DRAM, MemorySpace.L1
    times: list[float] = []
    for in0, out, cores in ((dram, dram, 96), (dram, l1, 22), (l1, dram, 22), (l1, l1, 22)):
        found = product((1024, 5376, 5376), in0, out, chip=chip)
        assert found.cores == cores
        times.append(predict(found, chip).total_ns)
    assert [t / times[0] for t in times[1:]] == pytest.approx([3.91, 3.96, 3.92], rel=0.25)


def test_narrow_products_in_l1_send_an_operand_on_since_a_release() -> None:
    kinds: list[MatmulProgram] = []
    for ttnn in ("0.64", "0.65"):
        found = product((8192, 512, 544), MemorySpace.L1, MemorySpace.L1, chip=chip_at_release(CHIP, ttnn))
        assert isinstance(found.config, MatmulConfig)
        kinds.append(found.config.type)
    assert kinds == [MatmulProgram.REUSE, MatmulProgram.MULTICAST_1D]
