"""Circular buffers of gathers, scatters, choices, places and casts: what `ttnn` 0.81.1 shows on a mock n150."""

from dataclasses import replace

import pytest

from tests.device.test_circular_buffers import BF16, BFP8, CHIP, F32, UI32, WORKERS
from ttstack.device.device_op import SPREADS, DeviceOp
from ttstack.device.footprint import circular_buffers
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.sequences import call_sequence
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Typecast
from ttstack.ops.indexing import Gather, Scatter
from ttstack.ops.kv_cache import FillCache
from ttstack.ops.types import DType, TensorType

SI32, UI16 = DType.SI32, DType.UI16
Shape = tuple[int, ...]


def on_tiles(op: Op, *formats: DType) -> DeviceOp:
    """Tiles in DRAM, of these formats."""
    layouts = [Layout(dtype) for dtype in formats]
    return DeviceOp(op, tuple(layouts[: len(op.operands)]), tuple(layouts[len(op.operands) :]), WORKERS)


@pytest.mark.parametrize(
    ("shape", "dim", "places", "bf16", "f32"),
    [
        ((64, 128), 0, 20, 32768, 32768),
        ((64, 128), 1, 32, 16384, 32768),
        ((4, 64, 96), 1, 7, 24576, 24576),
        ((50000, 64), 0, 128, 100000, 200000),
        ((2, 300), 1, 100, 40960, 81920),
    ],
)
def test_a_scatter(shape: Shape, dim: int, places: int, bf16: int, f32: int):
    picked = tuple(places if d == dim else extent for d, extent in enumerate(shape))
    for held, nbytes in ((BF16, bf16), (F32, f32)):
        x = TensorType(shape, held)
        op = Scatter(input=x, index=TensorType(picked, SI32), source=x.with_shape(picked), dim=dim)
        assert circular_buffers(on_tiles(op, held, SI32, held, held), CHIP) == nbytes


@pytest.mark.parametrize(
    ("shape", "index", "dim", "held", "places", "nbytes"),
    [
        ((2, 3, 32, 40), (1, 3, 32, 3000), 3, BF16, UI16, 198656),
        ((50, 96), (50, 8), 1, BF16, UI16, 16384),
        ((3, 32, 5000), (3, 32, 3000), 2, BF16, UI16, 516096),
        ((2, 3, 50, 40), (2, 1, 3000, 40), 2, BF16, UI32, 200704),
        ((32, 5000), (32, 8), 1, F32, UI16, 20480),
        ((8, 8, 32, 300), (4, 8, 16, 3000), 3, F32, UI32, 24576),
        ((7, 96), (7, 40), 1, F32, UI16, 18432),
    ],
)
def test_a_gather(shape: Shape, index: Shape, dim: int, held: DType, places: DType, nbytes: int):
    op = Gather(input=TensorType(shape, held), index=TensorType(index, places), dim=dim)
    assert circular_buffers(on_tiles(op, held, places, held), CHIP) == nbytes


@pytest.mark.parametrize(
    ("shape", "dim", "bf16", "f32"),
    [
        ((64, 128), 1, 8192, 8192),
        ((64, 128), 0, 32768, 32768),
        ((4, 64, 1000), 1, 262144, 262144),
        ((4, 8, 32, 64), 2, 16384, 16384),
        ((2, 64, 128), 0, 32768, 32768),
    ],
)
def test_places_of_greatest_elements(shape: Shape, dim: int, bf16: int, f32: int):
    made = TensorType(tuple(1 if d == dim else extent for d, extent in enumerate(shape)), UI32)
    for held, nbytes in ((BF16, bf16), (F32, f32)):
        op = OPS["argmax"].on([TensorType(shape, held)], {"dim_arg": (dim,), "keep_dim": True}, made)
        assert circular_buffers(on_tiles(op, held, UI32), CHIP) == nbytes


@pytest.mark.parametrize(("cache", "rows", "nbytes"), [(BF16, BF16, 4096), (BFP8, BF16, 6272), (F32, BF16, 12288)])
def test_a_cache_is_filled_in_its_own_format(cache: DType, rows: DType, nbytes: int):
    t = TensorType((1, 8, 128, 64), BF16 if cache.is_block else cache)
    op = on_tiles(FillCache(cache=t, input=TensorType((1, 8, 32, 64), BF16), batch_offset=0), cache, rows, cache)
    sequence = call_sequence(op, CHIP)
    last = op if sequence is None else sequence.steps[-1].device_op
    assert {layout.dtype for layout in last.operands} == {cache}
    assert circular_buffers(op, CHIP) == nbytes


@pytest.mark.parametrize(
    ("given", "made", "nbytes"),
    [(BF16, F32, 12288), (BFP8, BF16, 6272), (F32, SI32, 0), (UI16, BF16, 0)],
)
def test_shards_are_cast_where_they_lie_if_their_tiles_have_one_size(given: DType, made: DType, nbytes: int):
    def shards(dtype: DType) -> Layout:
        block = MemoryLayout.BLOCK_SHARDED
        return Layout(dtype, memory_space=MemorySpace.L1, memory_layout=block, grid=Grid(4, 4))

    real = {dtype: F32 if dtype.is_float else dtype for dtype in (given, made)}
    op = Typecast(input=TensorType((256, 512), real[given]), dtype=real[made])
    spread = SPREADS[MemoryLayout.BLOCK_SHARDED]
    assert circular_buffers(DeviceOp(op, (shards(given),), (shards(made),), Grid(4, 4), spread), CHIP) == nbytes


@pytest.mark.parametrize(
    ("condition", "held", "shapes", "nbytes"),
    [
        (BF16, BF16, ((3, 32, 1), (1, 32, 1), (3, 1, 1)), 28672),
        (F32, F32, ((1, 1), (32, 1), (32, 1)), 57344),
        (BF16, F32, ((3, 64, 1), (3, 1, 1), (3, 1, 1)), 49152),
        (BF16, BF16, ((64, 96), (64, 1), (64, 96)), 16384),
        (SI32, BFP8, ((64, 40), (64, 40), (64, 40)), 10368),
        (SI32, BF16, ((3, 1, 1), (1, 50, 96), (3, 50, 1)), 16384),
    ],
)
def test_a_choice(condition: DType, held: DType, shapes: tuple[Shape, ...], nbytes: int):
    types = [TensorType(s, BF16 if d.is_block else d) for s, d in zip(shapes, (condition, held, held), strict=True)]
    assert circular_buffers(on_tiles(OPS["where"].on(types, {}), condition, held, held, held), CHIP) == nbytes


def test_what_is_gathered_along_columns_lies_where_the_index_does_and_is_brought_from_there():
    """The library turns it back into the memory of the index, whatever memory the call asks for."""
    op = Gather(input=TensorType((64, 40), BF16), index=TensorType((8, 40), UI32), dim=0)
    index, wanted = Layout(UI32, memory_space=MemorySpace.L1), Layout(BF16)
    sequence = call_sequence(DeviceOp(op, (Layout(BF16), index), (wanted,), WORKERS), CHIP)
    assert sequence is not None
    assert [step.device_op.results[0].in_l1 for step in sequence.steps] == [True, False]
    along_rows = replace(op, index=TensorType((64, 8), UI32), dim=1)
    assert call_sequence(DeviceOp(along_rows, (Layout(BF16), index), (wanted,), WORKERS), CHIP) is None


def test_long_lines_of_integers_are_scattered_as_rows():
    x, few = TensorType((7, 512, 128), SI32), TensorType((7, 32, 128), SI32)
    op = on_tiles(Scatter(input=x, index=few, source=few, dim=1), SI32, SI32, SI32, SI32)
    sequence = call_sequence(op, CHIP)
    assert sequence is not None
    (own,) = [step.device_op for step in sequence.steps if step.own]
    assert not any(layout.tiled for layout in own.layouts())


@pytest.mark.parametrize(
    ("shape", "dim", "bf16", "f32"),
    [((3, 64, 64), 0, 20480, 40960), ((3, 64, 64), 1, 16384, 40960), ((2, 3, 64, 64), 3, 16384, 40960)],
)
def test_a_running_sum(shape: Shape, dim: int, bf16: int, f32: int):
    for held, nbytes in ((BF16, bf16), (F32, f32)):
        op = OPS["cumsum"].on([TensorType(shape, held)], {"dim": dim})
        assert circular_buffers(on_tiles(op, held, held), CHIP) == nbytes


def test_tiles_are_added_to_a_line_as_to_a_matrix():
    op = OPS["pad"].on([TensorType((128,), BF16)], {"padding": (0, 32), "value": 0.0})
    sequence = call_sequence(on_tiles(op, BF16, BF16), CHIP)
    assert sequence is not None
    assert [step.device_op.op.results[0].shape for step in sequence.steps] == [(1, 128), (1, 160), (160,)]
    assert call_sequence(on_tiles(replace(op, padding=(0, 0)), BF16, BF16), CHIP) != sequence
