"""Circular buffers of attention of new tokens: bytes that `ttnn` 0.81.1 shows on a mock n150 and a mock p150."""

from dataclasses import replace

import pytest

from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import circular_buffers
from ttstack.device.layout import Grid, Layout, storage
from ttstack.ops.decode import (
    DecodeAttentionOp,
    PagedFlashMultiLatentAttentionDecode,
    PagedScaledDotProductAttentionDecode,
    ScaledDotProductAttentionDecode,
)
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

BF16, BFP8 = DType.BF16, DType.BFP8_B


def plain(users: int, heads: int, key_heads: int, keys: int, depth: int) -> ScaledDotProductAttentionDecode:
    cache = TensorType((users, key_heads, keys, depth), BF16)
    query = TensorType((1, users, heads, depth), BF16)
    positions = TensorType((users,), DType.SI32)
    return ScaledDotProductAttentionDecode(query=query, key=cache, value=cache, cur_pos_tensor=positions)


def paged(users: int, heads: int, key_heads: int, keys: int, depth: int) -> DecodeAttentionOp:
    cache = TensorType((users * keys // 32, key_heads, 32, depth), BF16)
    query = TensorType((1, users, heads, depth), BF16)
    return PagedScaledDotProductAttentionDecode(
        query=query,
        key=cache,
        value=cache,
        page_table=TensorType((users, keys // 32), DType.SI32),
        output=query,
        cur_pos_tensor=TensorType((users,), DType.SI32),
    )


def latent(users: int, heads: int) -> DecodeAttentionOp:
    return PagedFlashMultiLatentAttentionDecode(
        query=TensorType((1, users, heads, 576), BF16),
        key=TensorType((users * 32, 1, 64, 576), BF16),
        page_table=TensorType((users, 32), DType.SI32),
        cur_pos_tensor=TensorType((users,), DType.SI32),
        head_dim_v=512,
    )


def on(board: str, op: DecodeAttentionOp, held: DType = BF16) -> int:
    chip = load(board).chips[0]
    layouts = [Layout(storage(t.dtype, held if t.dtype is BF16 else None)) for t in op.operands]
    return circular_buffers(DeviceOp(op, tuple(layouts), (Layout(held),), Grid(*chip.grid)), chip)


@pytest.mark.parametrize(
    ("users", "heads", "key_heads", "keys", "depth", "n150", "p150"),
    [
        (1, 32, 8, 128, 64, 196672, 262272),
        (1, 32, 8, 4096, 64, 442432, 508032),
        (8, 32, 8, 1024, 128, 675904, 688256),
        (32, 32, 8, 4096, 128, 676096, 676096),
        (1, 8, 8, 128, 64, 134208, 167040),
        (4, 16, 2, 96, 64, 78912, 111744),
        (8, 64, 8, 2048, 128, 821312, 845952),
        (1, 71, 1, 128, 64, 643136, 643200),
        (16, 24, 8, 640, 128, 233600, 233600),
        (2, 128, 8, 1024, 64, 833600, 964736),
    ],
)
def test_heads_wait_for_the_cores_that_share_them(
    users: int, heads: int, key_heads: int, keys: int, depth: int, n150: int, p150: int
):
    op = plain(users, heads, key_heads, keys, depth)
    assert (on("wormhole", op), on("p150", op)) == (n150, p150)


@pytest.mark.parametrize(
    ("shape", "n150", "p150"),
    [
        ((1, 32, 8, 128, 64), 77920, 78016),
        ((4, 16, 4, 96, 64), 50272, 50368),
        ((8, 64, 8, 2048, 128), 207168, 207232),
        ((32, 32, 8, 1024, 128), 123264, 123264),
    ],
)
def test_pages_are_read_a_tile_at_a_time(shape: tuple[int, int, int, int, int], n150: int, p150: int):
    assert (on("wormhole", paged(*shape)), on("p150", paged(*shape))) == (n150, p150)


def test_sinks_windows_and_masks():
    sink, mask = TensorType((64, 32), BF16), TensorType((4, 1, 16, 96), BF16)
    assert on("wormhole", replace(plain(2, 64, 8, 512, 64), attention_sink=sink)) == 555072
    assert on("wormhole", replace(plain(2, 32, 4, 1024, 64), sliding_window_size=256)) == 475200
    assert on("wormhole", replace(plain(4, 16, 2, 96, 64), attention_mask=mask, is_causal=False)) == 135232
    assert on("wormhole", plain(2, 32, 4, 1024, 64), BFP8) == 319552


def test_latent_pages_have_narrower_values():
    assert (on("wormhole", latent(1, 32)), on("p150", latent(1, 32))) == (962752, 962816)
