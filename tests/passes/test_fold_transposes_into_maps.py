"""What a transpose or a broadcast moved is read where it was: the same values, by ops that the device has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttstack
from tests.docs.pages import ROOT
from tests.ops.strategies import cases
from ttstack.device.device_op import DeviceOp, Fidelity, Spread
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.map_rules import has_kernel
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.device.rules import rule_faults
from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.generic_source import GenericSource
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.raising import raise_to_named
from ttstack.ops.read_through import read_through
from ttstack.ops.tile_order import moves_tiles
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
TEXT = ROOT / "tests/filecheck/passes/fold_transposes_into_maps.mlir"


def _real(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


def _nest(op: Op) -> LoopNest:
    assert op.nest is not None
    return op.nest


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        ("products", "matmul"),
        ("broadcasts", "matmul multiply"),
        ("overwritten", "transpose fill_cache matmul"),
        (
            "ops_of_their_own",
            "transpose add broadcast exp broadcast matmul broadcast matmul transpose matmul add",
        ),
    ],
)
def test_values_are_those_of_the_ops_apart(function: str, ops: str):
    program = ttstack.compile(TEXT, function=function)
    assert [op.name for op in program.cost().ops] == ops.split()
    rng = np.random.default_rng(0)
    given = {name: rng.standard_normal(t.shape).astype(np.float32) for name, t in program.inputs().items()}
    a, b, *rest = (x.copy() for x in given.values())
    want = {
        "products": lambda: [np.maximum(a.T @ b.T, 0)],
        "broadcasts": lambda: [a @ b, rest[0] * rest[1]],
        "overwritten": lambda: [rest[0] @ a.swapaxes(2, 3)],
        "ops_of_their_own": lambda: [
            a + a.T,
            np.exp(np.broadcast_to(b, (64, 64))),
            rest[0] @ rest[1],
            rest[1] @ rest[2],
            (a + a.T).T + a @ (a + a.T).T,
        ],
    }[function]()
    for got, wanted in zip(program.run(given).outputs.values(), want, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2**-6, atol=0.3)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_a_product_that_reads_through_a_transpose_is_the_product_of_the_transposed(
    *, transpose_a: bool, transpose_b: bool
):
    operands = [_real(3, 70, 40), _real(3, 40, 50)]
    apart, moved = _nest(OPS["matmul"].on(operands, {})), list(operands)
    for position, asked in enumerate((transpose_a, transpose_b)):
        if asked:
            moved[position] = operands[position].with_shape(
                tuple(np.array(operands[position].shape)[[0, 2, 1]].tolist())
            )
            mover = _nest(OPS["permute"].on([moved[position]], {"permutation": (0, 2, 1)}))
            assert moves_tiles(mover)
            apart = read_through(apart, position, mover) or pytest.fail("products read tiles either way round")
    assert apart == OPS["matmul"].on(moved, {"transpose_a": transpose_a, "transpose_b": transpose_b}).nest


EXACT = sorted(
    name
    for name, spec in OPS.items()
    if spec.executable and spec.family != "generic" and not (spec.mutates or spec.functions)
)


def _movers(data: st.DataObject, made: TensorType) -> Op:
    """An op that repeats or permutes dimensions, with this result."""
    if data.draw(st.booleans()):
        factors = [data.draw(st.sampled_from((1, extent))) for extent in made.shape]
        small = made.with_shape(tuple(e // f for e, f in zip(made.shape, factors, strict=True)))
        return OPS["broadcast"].on([small], {"broadcast_dimensions": tuple(factors)})
    order = data.draw(st.permutations(range(made.rank)))
    source = made.with_shape(tuple(made.shape[order.index(d)] for d in range(made.rank)))
    return OPS["permute"].on([source], {"permutation": tuple(order)})


@settings(max_examples=150)
@given(data=st.data())
def test_kernels_take_what_an_op_of_the_device_says(data: st.DataObject):
    """The rules read maps alone; the conversion to ttnn finds an op for just those that they take."""
    op = data.draw(st.sampled_from(EXACT).flatmap(cases)).op
    if op.nest is None or op.nest.moves_only or not all(t.size for t in op.operands) or not op.operands:
        return
    position = data.draw(st.integers(0, len(op.operands) - 1))
    mover = _movers(data, op.operands[position])
    (source,) = mover.operands
    if mover.nest is None or source == op.operands[position]:
        return
    nest = read_through(op.nest, position, mover.nest)
    moved = [source if i == position else t for i, t in enumerate(op.operands)]
    if nest is not None:
        named = raise_to_named(nest, moved, op.results[0], GenericSource.of(op))
        repeats = named is not None and any(d is None for d in nest.inputs[position].loops)
        assert has_kernel(nest, moved, op.results[0]) <= (named is not None)
        assert repeats or has_kernel(nest, moved, op.results[0]) is (named is not None)


def test_an_elementwise_op_reads_no_turned_tiles():
    mover = _nest(OPS["transpose"].on([_real(64, 64)], {"dim0": 0, "dim1": 1}))
    assert read_through(_nest(OPS["add"].on([_real(64, 64)] * 2, {})), 0, mover) is None


BUFFERS = [
    (MatmulProgram.MULTICAST_2D, (8, 8), Spread.BLOCKS, (2, 4), (1, 4), 65_536, 81_920),
    (MatmulProgram.MULTICAST_1D, (4, 8), Spread.COLUMNS, (16, 1), (1, 1), 172_032, 303_104),
    (MatmulProgram.MULTICAST_1D, (2, 8), Spread.ROWS, (1, 32), (1, 4), 335_872, 344_064),
]
"""512 x 512 by 512 x 1024 of bf16 in steps of 2: circular buffers that ttnn 0.81.1 makes, and with `transpose_a`."""


@pytest.mark.parametrize(("kind", "grid", "spread", "core", "subblock", "plain", "turned"), BUFFERS)
@pytest.mark.parametrize("transpose_b", [False, True])
def test_a_first_operand_is_transposed_into_a_buffer_of_its_own(
    *,
    kind: MatmulProgram,
    grid: tuple[int, int],
    spread: Spread,
    core: tuple[int, int],
    subblock: tuple[int, int],
    plain: int,
    turned: int,
    transpose_b: bool,
):
    shared = {"in0_block_w": 2, "per_core_M": core[0], "per_core_N": core[1]}
    config = MatmulConfig(type=kind, **shared, out_subblock_h=subblock[0], out_subblock_w=subblock[1])
    b, layout = _real(1024, 512) if transpose_b else _real(512, 1024), Layout(DType.BF16)
    for transpose_a, nbytes in ((False, plain), (True, turned)):
        op = OPS["matmul"].on([_real(512, 512), b], {"transpose_a": transpose_a, "transpose_b": transpose_b})
        placed = DeviceOp(op, (layout, layout), (layout,), Grid(*grid), spread, Fidelity.HIFI4, config)
        assert footprint(placed, CHIP) == nbytes


def test_a_first_operand_is_transposed_from_pages_alone():
    grid = Grid(8, 8)
    shard = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, grid)
    for transpose_a in (False, True):
        op = OPS["matmul"].on([_real(512, 512), _real(512, 1024)], {"transpose_a": transpose_a})
        placed = DeviceOp(op, (shard, Layout(DType.BF16)), (Layout(DType.BF16),), grid, Spread.BLOCKS)
        assert any("by pages" in fault for fault in rule_faults(placed, CHIP)) is transpose_a
