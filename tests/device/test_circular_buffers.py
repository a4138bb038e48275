"""Circular buffers of single kernels: bytes that `ttnn` 0.81.1 shows when it runs the calls on a mock n150."""

from dataclasses import replace
from typing import Any

import pytest

from ttstack.device.circular_buffers.matmul import StreamedBuffers
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import circular_buffers, footprint
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import AttentionConfig, MatmulConfig, MatmulProgram
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

BF16, BFP8, F32, UI32 = DType.BF16, DType.BFP8_B, DType.F32, DType.UI32
CHIP = load("wormhole").chips[0]
WORKERS = Grid(8, 8)


def placed(
    name: str, *shapes: tuple[int, ...], held: DType, layouts: tuple[Layout, ...] = (), **given: Any
) -> DeviceOp:
    """An op on tensors in DRAM, all in one format where no layouts are given."""
    spec = OPS[name]
    types = [TensorType(shape, BF16 if held.is_block else held) for shape in shapes]
    places = iter(types)
    operands = {
        place: tuple(types) if place == "inputs" else next(places)
        for place in list(spec.operand_specs())[: 1 if name == "concat" else len(types)]
    }
    op = spec(**operands, **given)
    found = layouts or (Layout(held),) * (len(types) + len(op.results))
    return DeviceOp(op, found[: len(types)], found[len(types) :], WORKERS)


@pytest.mark.parametrize(
    ("shape", "made", "bf16", "bfp8"),
    [
        ((2, 32, 64), (2, 32, 4, 16), 2176, 12288),
        ((2, 32, 4, 16), (2, 32, 64), 3072, 6272),
        ((1, 197, 768), (1, 197, 12, 64), 2560, 10240),
        ((1, 3136), (56, 56), 4864, 12288),
        ((8, 7, 7, 96), (8, 49, 96), 3264, 10240),
        ((6, 17), (102,), 2240, 12288),
    ],
)
def test_a_reshape_lists_runs(shape: tuple[int, ...], made: tuple[int, ...], bf16: int, bfp8: int):
    assert footprint(placed("reshape", shape, held=BF16, shape=made), CHIP) == bf16
    assert footprint(placed("reshape", shape, held=BFP8, shape=made), CHIP) == bfp8


@pytest.mark.parametrize(
    ("width", "nbytes"),
    [
        (2048, 524288),
        (2080, 266240),
        (10240, 1310720),
        (11136, 475136),
        (12288, 524288),
        (16416, 466944),
    ],
)
def test_wide_rows_of_a_table_are_brought_one_by_one_and_the_widest_in_parts(width: int, nbytes: int):
    layouts = (Layout(UI32, tiled=False), Layout(BF16, tiled=False), Layout(BF16))
    assert circular_buffers(placed("embedding", (1, 64), (100, width), held=BF16, layouts=layouts), CHIP) == nbytes


@pytest.mark.parametrize(("held", "nbytes"), [(BF16, 45056), (BFP8, 37376)])
def test_a_norm_over_chips_has_room_for_the_sums_of_eight(held: DType, nbytes: int):
    """Shown for two chips."""
    norm = placed("distributed_rms_norm", (1, 1, 32, 128), (128,), held=held, cluster_axis=1)
    assert circular_buffers(norm, CHIP) == nbytes + 6 * BF16.tile_bytes


@pytest.mark.parametrize(
    ("x", "table", "width", "rows", "one_row", "shards"),
    [
        (BF16, BF16, 64, 49152, 57344, 14336),
        (BF16, BF16, 128, 90112, 106496, 26624),
        (BFP8, BF16, 128, 66112, 82496, 22784),
        (BFP8, BFP8, 64, 27072, 35264, 8576),
        (BF16, BFP8, 256, 139392, 172160, None),
        (F32, F32, 64, 96256, 104448, None),
    ],
)
def test_rotary_embeddings_hold_rows_and_tables(
    x: DType, table: DType, width: int, rows: int, one_row: int, shards: int | None
):
    held = (Layout(x), Layout(table), Layout(table), Layout(x))
    element = F32 if x is F32 else BF16

    def of(places: int, layouts: tuple[Layout, ...]) -> int:
        shapes = ((1, 8, 32, width), (1, 1, places, width), (1, 1, places, width))
        return circular_buffers(
            placed("rotary_embedding", *shapes, held=element, layouts=layouts, interleaved=False), CHIP
        )

    assert (of(32, held), of(1, held)) == (rows, one_row)
    if shards is not None:
        on_cores = {"memory_space": MemorySpace.L1, "memory_layout": MemoryLayout.HEIGHT_SHARDED, "grid": Grid(1, 8)}
        assert of(32, tuple(replace(layout, **on_cores) for layout in held)) == shards


@pytest.mark.parametrize(("width", "nbytes"), [(32, 24576), (64, 47104), (96, 69632), (160, 114688), (256, 182272)])
def test_rotary_embeddings_of_neighbours_hold_a_matrix(width: int, nbytes: int):
    shapes = ((8, 1, 128, width), (1, 1, 128, width), (1, 1, 128, width), (1, 1, 32, 32))
    assert circular_buffers(placed("rotary_embedding", *shapes, held=BF16, interleaved=True), CHIP) == nbytes


@pytest.mark.parametrize(("held", "nbytes"), [(BF16, 20480), (BFP8, 10880), (F32, 40960)])
def test_rotary_embeddings_of_one_tile_have_no_halves_apart(held: DType, nbytes: int):
    shapes = ((2, 4, 64, 32), (1, 1, 64, 32), (1, 1, 64, 32))
    assert circular_buffers(placed("rotary_embedding", *shapes, held=held, interleaved=False), CHIP) == nbytes


@pytest.mark.parametrize(("tiles", "at_once"), [(1, 2), (2, 2), (3, 2), (4, 4), (5, 2), (6, 2), (8, 8), (16, 8)])
def test_heads_move_so_many_tiles_at_a_time(tiles: int, at_once: int):
    split = placed("split_heads", (1, 64, 8 * 32 * tiles), held=BF16, num_heads=8)
    assert footprint(split, CHIP) == 2 * at_once * 2048


@pytest.mark.parametrize(
    ("width", "query", "nbytes"),
    [
        (3, 2, 65),
        (5, 2, 87),
        (6, 2, 113),
        (6, 3, 131),
        (8, 1, 91),
        (8, 4, 221),
        (10, 2, 157),
        (12, 2, 209),
        (16, 4, 413),
    ],
)
def test_attention_gives_two_rows_at_a_time_where_they_are_as_many_tiles(width: int, query: int, nbytes: int):
    shape = (1, 8, 768, 32 * width)
    attention = placed("scaled_dot_product_attention", shape, shape, shape, held=BF16, is_causal=True)
    assert footprint(replace(attention, config=AttentionConfig(query, 1)), CHIP) == nbytes * 2048


@pytest.mark.parametrize(
    ("held", "gathered", "scattered"), [(BF16, 36864, 196608), (BFP8, 39168, 104448), (F32, 36864, 196608)]
)
def test_chips_exchange_packets_whatever_the_shape(held: DType, gathered: int, scattered: int):
    """As a mock n300 and t3000 show for 160 calls."""
    for *lead, columns in ((1, 1, 32, 64), (1, 8, 1024, 4096)):
        shape = (*lead, columns)
        wide, narrow = (
            TensorType((*lead, width), BF16 if held.is_block else held) for width in (2 * columns, columns // 2)
        )
        gather = placed("all_gather", shape, held=held, all_gather_dim=3, cluster_axis=1, type=wide)
        scatter = placed(
            "reduce_scatter", shape, held=held, scatter_dim=3, cluster_axis=1, reduce_type="sum", type=narrow
        )
        both = placed("all_reduce", shape, held=held, reduce_type="sum", cluster_axis=1)
        assert [footprint(op, CHIP) for op in (gather, scatter, both)] == [gathered, scattered, scattered]


@pytest.mark.parametrize(
    ("shape", "order", "bf16", "bfp8"),
    [
        ((2, 32, 4, 16), (0, 2, 1, 3), 4096, 6272),
        ((2, 4, 32, 16), (0, 2, 1, 3), 4608, 6272),
        ((1, 12, 197, 64), (1, 0, 2, 3), 4096, 2176),
        ((2, 3, 5, 7), (0, 1, 3, 2), 8192, 4352),
        ((2, 32, 4, 16), (2, 1, 0, 3), 4128, 6272),
        ((1, 64, 56, 56), (0, 2, 3, 1), 12320, 12320),
        ((2, 64, 32, 128), (0, 3, 1, 2), 8192, 8192),
        ((8, 49, 3, 4, 32), (2, 0, 3, 1, 4), 4128, 2192),
        ((1, 2, 3, 4, 64, 64), (0, 1, 3, 2, 4, 5), 4096, 2176),
        ((32, 64, 96), (1, 2, 0), 12288, 12288),
    ],
)
def test_a_permutation_turns_what_it_moves(shape: tuple[int, ...], order: tuple[int, ...], bf16: int, bfp8: int):
    assert footprint(placed("permute", shape, held=BF16, permutation=order), CHIP) == bf16
    assert footprint(placed("permute", shape, held=BFP8, permutation=order), CHIP) == bfp8


@pytest.mark.parametrize(
    ("name", "shapes", "given", "held", "nbytes"),
    [
        ("pad", [(2, 4, 32, 16)], {"padding": (0, 0, 0, 0, 0, 0, 0, 16), "value": 0.0}, BF16, 10240),
        ("pad", [(2, 4, 32, 32)], {"padding": (0, 0, 0, 0, 0, 0, 0, 16), "value": 0.0}, F32, 8192),
        ("pad", [(2, 10, 64)], {"padding": (0, 0, 0, 0, 0, 64), "value": 0.0}, BF16, 10240),
        ("slice_static", [(2, 4, 64, 64)], {"begins": (0, 0, 0, 0), "ends": (2, 4, 64, 16)}, BF16, 4096),
        ("slice_static", [(2, 32, 64)], {"begins": (0, 1, 0), "ends": (2, 2, 64)}, BFP8, 8192),
        ("slice_static", [(256,)], {"begins": (0,), "ends": (100,)}, BF16, 32768),
        ("concat", [(2, 32, 64), (2, 32, 64)], {"dim": 2}, BF16, 4096),
        ("concat", [(64, 16), (64, 3000)], {"dim": 1}, BF16, 1167360),
        ("concat", [(2, 30, 64), (2, 30, 64)], {"dim": 1}, BF16, 8192),
        ("repeat", [(2, 32, 32)], {"repeat_dimensions": (1, 1, 3)}, BF16, 16384),
        ("repeat", [(2, 1, 64)], {"repeat_dimensions": (1, 5, 1)}, BF16, 16384),
        ("sum", [(2, 60, 90)], {"dim_arg": (1,), "keep_dim": True}, BF16, 12288),
        ("sum", [(128, 2048)], {"dim_arg": (1,), "keep_dim": True}, BF16, 22528),
        ("sum", [(1, 49, 64, 64)], {"dim_arg": (1,), "keep_dim": True}, BF16, 34816),
        ("mean", [(1, 49, 7, 64)], {"dim_arg": (1, 2), "keep_dim": True}, BF16, 16384),
        ("max", [(1, 8, 64, 96)], {"dim_arg": (2, 3), "keep_dim": True}, BF16, 10240),
        ("softmax", [(64, 197)], {"dimension": -1, "numericStable": True}, BF16, 108544),
        ("softmax", [(64, 288)], {"dimension": -1, "numericStable": True}, F32, 116736),
        ("softmax", [(64, 32000)], {"dimension": -1, "numericStable": True}, BF16, 540672),
    ],
)
def test_kernels_on_tiles(name: str, shapes: list[tuple[int, ...]], given: dict[str, Any], held: DType, nbytes: int):
    steps: dict[str, Any] = {"step": (1,) * len(shapes[0])} if name == "slice_static" else {}
    assert footprint(placed(name, *shapes, held=held, **given, **steps), CHIP) == nbytes


@pytest.mark.parametrize(
    ("shape", "held", "untilized", "tilized"),
    [
        ((64, 2048), BF16, 16384, 8192),
        ((2080, 512), BF16, 131072, 65536),
        ((4096, 64), F32, 32768, 16384),
        ((1, 1000), BF16, 131072, 131072),
        ((1, 1, 32, 30528), BF16, 122880, 65536),
        ((49, 30522), UI32, 131072, 131072),
    ],
)
def test_tiles_and_rows(shape: tuple[int, ...], held: DType, untilized: int, tilized: int):
    tiles, rows = Layout(held), Layout(held, tiled=False)
    assert footprint(placed("to_layout", shape, held=held, layouts=(tiles, rows)), CHIP) == untilized
    assert footprint(placed("to_layout", shape, held=held, layouts=(rows, tiles)), CHIP) == tilized


@pytest.mark.parametrize(
    ("shape", "held", "nbytes"), [((26, 512), UI32, 24576), ((4, 17), UI32, 24576), ((300, 2048), BF16, 12288)]
)
def test_sums_of_rows_take_as_much_as_of_tiles(shape: tuple[int, ...], held: DType, nbytes: int):
    rows = Layout(held, tiled=False)
    assert footprint(placed("add", shape, shape, held=held, layouts=(rows,) * 3), CHIP) == nbytes


def test_changes_of_memory_have_no_buffers_where_shards_are_those():
    shards = Layout(BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(1, 8))
    found = [
        footprint(placed("to_layout", (256, 512), held=BF16, layouts=pair), CHIP)
        for pair in ((Layout(BF16), shards), (shards, Layout(BF16)), (Layout(BF16), shards.interleave(MemorySpace.L1)))
    ]
    assert found == [0, 0, 4096]


@pytest.mark.parametrize(
    ("query", "key", "causal", "mask", "held", "nbytes"),
    [
        ((1, 12, 128, 64), (1, 12, 128, 64), True, None, BF16, 161792),
        ((1, 12, 128, 64), (1, 12, 128, 64), True, None, BFP8, 115712),
        ((1, 12, 197, 64), (1, 12, 197, 64), False, None, BF16, 153600),
        ((1, 12, 197, 64), (1, 12, 197, 64), False, (1, 1, 197, 197), BFP8, 124672),
        ((2, 12, 64, 96), (2, 12, 640, 96), False, None, BF16, 202752),
    ],
)
def test_attention_in_blocks_of_two_by_four_tiles(
    query: tuple[int, ...], key: tuple[int, ...], causal: bool, mask: tuple[int, ...] | None, held: DType, nbytes: int
):
    shapes = (query, key, key, *([mask] if mask else []))
    op = replace(
        placed("scaled_dot_product_attention", *shapes, held=held, is_causal=causal, scale=0.1),
        config=AttentionConfig(2, 4),
    )
    assert footprint(op, CHIP) == nbytes


@pytest.mark.parametrize(
    ("made", "partial", "width", "nbytes"), [(2048, 0, 15, 417792), (2048, 0, 3, 96256), (1088, 2048, 3, 99520)]
)
def test_streamed_weights_have_three_blocks(made: int, partial: int, width: int, nbytes: int):
    assert StreamedBuffers(2048, 2048, 0, made, partial, 8).nbytes(1, width, 4, 16) == nbytes


@pytest.mark.parametrize(
    ("name", "weights", "held", "whole", "pieces"),
    [
        ("layer_norm", 0, F32, 876544, 438272),
        ("layer_norm", 1, F32, 1171456, 585728),
        ("layer_norm", 0, BF16, 458752, 755712),
        ("layer_norm", 2, BF16, 753664, 673792),
        ("rms_norm", 0, F32, 606208, 430080),
        ("rms_norm", 1, F32, 901120, 577536),
        ("rms_norm", 1, BF16, 487424, 555008),
    ],
)
def test_a_norm_holds_pieces_of_rows_that_do_not_fit(name: str, weights: int, held: DType, whole: int, pieces: int):
    for width, nbytes in ((2048, whole), (8192, pieces), (65536, pieces)):
        shapes = (32, width), *((width,),) * weights
        assert footprint(placed(name, *shapes, held=held, normalized_shape=(width,)), CHIP) == nbytes


@pytest.mark.parametrize(
    ("held", "columns", "nbytes"),
    [
        (BF16, 2080, 47104),
        (BF16, 16384, 71680),
        (BF16, 65536, 251904),
        (BF16, 131072, 448512),
        (F32, 8192, 104448),
        (F32, 65536, 333824),
    ],
)
def test_long_rows_are_sorted_by_all_cores(held: DType, columns: int, nbytes: int):
    op = placed("sort", (32, columns), held=held, dtype=UI32)
    assert footprint(op, CHIP) == nbytes


@pytest.mark.parametrize(("columns", "nbytes"), [(64, 33792), (128, 41984), (256, 58368), (1024, 156672)])
def test_a_row_is_sorted_whole(columns: int, nbytes: int):
    op = placed("sort", (32, columns), held=BF16, layouts=(Layout(BF16), Layout(BF16), Layout(DType.UI16)), dtype=UI32)
    assert footprint(op, CHIP) == nbytes


@pytest.mark.parametrize(
    ("columns", "kept", "nbytes"),
    [(64, 32, 36864), (512, 32, 36864), (256, 64, 49152), (1024, 32, 90112), (4096, 64, 286720), (32768, 32, 352256)],
)
def test_the_greatest_of_long_rows_are_found_by_several_cores(columns: int, kept: int, nbytes: int):
    layouts = (Layout(BF16), Layout(BF16), Layout(DType.UI16))
    assert footprint(placed("topk", (32, columns), held=BF16, layouts=layouts, k=kept, dtype=UI32), CHIP) == nbytes


@pytest.mark.parametrize(
    ("users", "width", "nbytes"), [(2, 16, 20480), (3, 4, 22528), (2, 64, 36864), (8, 128, 118784), (32, 128, 315392)]
)
def test_rows_of_caches_are_written_for_all_users_at_once(users: int, width: int, nbytes: int):
    cache, rows = Layout(BF16), Layout(BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(1, min(users, 8)))
    types = (TensorType((users, 2, 64, width), BF16), TensorType((1, users, 2, width), BF16))
    op = OPS["paged_update_cache"].on((*types, TensorType((users,), DType.SI32)), {})
    placement = DeviceOp(op, (cache, rows, Layout(DType.SI32, tiled=False)), (), WORKERS)
    assert circular_buffers(placement, CHIP) == nbytes


@pytest.mark.parametrize(
    ("name", "attributes", "nbytes"),
    [
        ("max_pool2d", {"kernel": (3, 3), "stride": (2, 2), "padding": (1, 1, 1, 1)}, 16384),
        ("avg_pool2d", {"kernel": (2, 2), "stride": (2, 2), "padding": (0, 0, 0, 0)}, 20480),
    ],
)
def test_a_pool_takes_a_window_at_a_time(name: str, attributes: dict[str, Any], nbytes: int):
    op = placed(name, (1, 32, 32, 64), held=BF16, dilation=(1, 1), ceil_mode=False, **attributes)
    assert circular_buffers(op, CHIP) == nbytes
    assert footprint(op, CHIP) > nbytes, "and the pixels that its windows see"


@pytest.mark.parametrize(("name", "held", "nbytes"), [("cumsum", BF16, 16384), ("cumprod", BF16, 20480)])
def test_a_scan_keeps_what_there_is_so_far(name: str, held: DType, nbytes: int):
    assert footprint(placed(name, (64, 64), held=held, dim=1), CHIP) == nbytes


@pytest.mark.parametrize(
    ("experts", "depth", "columns", "block", "nbytes"),
    [(4, 64, 256, 1, 10304), (4, 256, 64, 2, 18496), (4, 256, 1024, 4, 34880)],
)
def test_blocks_in_use_are_multiplied_one_after_the_other(
    experts: int, depth: int, columns: int, block: int, nbytes: int
):
    shapes = (1, 2, 32, depth), (1, experts, depth, columns), (1, 2, 1, experts)
    op = placed("sparse_matmul", *shapes, held=BF16)
    config = MatmulConfig(MatmulProgram.MULTICAST_1D, in0_block_w=block)
    assert footprint(replace(op, config=config), CHIP) == nbytes


@pytest.mark.parametrize(
    ("shape", "index", "dim", "held", "nbytes"),
    [
        ((64, 64), (64, 32), 1, BF16, 16384),
        ((8, 32, 64), (8, 32, 32), -1, BFP8, 7360),
        ((4, 8), (4, 8), 1, BF16, 24576),
        ((8, 64), (8, 32), 1, BF16, 20480),
        ((2, 512), (2, 32), 1, DType.SI32, 73728),
        ((64, 32), (64, 32), 0, BF16, 16384),
        ((33, 40), (33, 40), 0, BF16, 24576),
        ((4, 8, 32), (4, 8, 32), 0, BF16, 24640),
        ((2, 3, 40, 32), (2, 3, 40, 32), 2, BF16, 20480),
    ],
)
def test_a_gather_turns_fills_up_and_picks_from_a_whole_row(
    shape: tuple[int, ...], index: tuple[int, ...], dim: int, held: DType, nbytes: int
):
    op = OPS["gather"].on((TensorType(shape, held), TensorType(index, UI32)), {"dim": dim})
    assert footprint(DeviceOp(op, (Layout(held), Layout(UI32)), (Layout(held),), WORKERS), CHIP) == nbytes
