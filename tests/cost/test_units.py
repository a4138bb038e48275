"""What the units of a core take for each tile, as experiments with nothing else measure it."""

import pytest

from ttstack.cost import Cost, Term, predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
SHARD = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(1, 1))


def of_one_core(name: str, rows: int, columns: int, **attributes: object) -> Cost:
    """An op on tiles that stay in one core."""
    op = OPS[name].on([TensorType((rows * 32, columns * 32), DType.BF16)], attributes)
    return predict(DeviceOp(op, (SHARD,), (SHARD,), Grid(1, 1)), CHIP)


@pytest.mark.parametrize(("function", "ns"), [("relu", 226), ("exp", 718), ("sqrt", 957)])
def test_a_function_is_set_up_anew_for_each_further_tile(function: str, ns: float) -> None:
    """As measured in L1 on Wormhole: relu in tt-metal's double_buffer, the others by phase in its compute_fusion."""
    few, many = (of_one_core(function, tiles, 1).total_ns for tiles in (8, 40))
    assert (many - few) / 32 == pytest.approx(ns, rel=0.05)


def test_the_first_tile_of_a_function_hides_it() -> None:
    terms = of_one_core("exp", 1, 1).terms
    copied = CHIP.matrix.copy_cycles(DType.BF16.bits)
    assert terms[Term.COMPUTE] == pytest.approx(CHIP.cycles_to_ns(CHIP.vector.cycles_of("exp") + copied))


@pytest.mark.parametrize(("dim", "ns"), [(1, 156), (0, 83)])
def test_sums_along_rows_take_longer_than_down_columns(dim: int, ns: float) -> None:
    """As measured at HiFi4 in tt-metal's reduce_accumulate: each further tile of a row or column, in cycles of 1 ns."""
    shapes = [(1, tiles) if dim else (tiles, 1) for tiles in (8, 32)]
    few, many = (of_one_core("sum", *shape, keep_dim=True, dim_arg=(dim,)).terms[Term.COMPUTE] for shape in shapes)
    assert (many - few) / 24 == pytest.approx(ns, rel=0.02)
