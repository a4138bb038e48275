"""The least time is never above the predicted one, however little of a tensor an op takes."""

import pytest

import ttstack
from tests.cost.examples import GRID, real
from ttstack.cost import roofline
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

IDS, TABLE, ROWS = "tensor<1x128xi32>", "tensor<30522x768xf32>", "tensor<1x128x768xf32>"
PART = "tensor<128x768xf32>"


@pytest.mark.parametrize(
    ("arguments", "line", "result"),
    [
        (f"%i: {IDS}, %t: {TABLE}", f'"ttir.embedding"(%i, %t) : ({IDS}, {TABLE}) -> {ROWS}', ROWS),
        (
            f"%t: {TABLE}",
            f'"ttir.slice_static"(%t) {{begins = [0 : i32, 0 : i32], ends = [128 : i32, 768 : i32], step = [1 : i32, 1 : i32]}} : ({TABLE}) -> {PART}',
            PART,
        ),
    ],
)
def test_of_a_large_table_only_what_is_taken_counts(arguments: str, line: str, result: str) -> None:
    text = f"func.func @f({arguments}) -> {result} {{\n  %0 = {line}\n  return %0 : {result}\n}}"
    *_, op = ttstack.compile(text).cost().ops
    assert 0 < op.roofline_ns <= op.kernel_ns


def test_the_least_time_of_a_product_is_that_of_the_matrix_units(chip: ChipDesc) -> None:
    """2 M N K operations at 16 cycles for 2 * 32^3 of them, on 64 cores at 1 GHz; operands in L1 take none."""
    inside = Layout(DType.BF16).interleave(MemorySpace.L1)
    op = OPS["matmul"].on([real(1024, 512), real(512, 2048)], {})
    device_op = DeviceOp(op, (inside, inside), (inside,), GRID, fidelity=Fidelity.LOFI)
    cycles = chip.matrix.matmul_cycles_per_tile.at(Fidelity.LOFI)
    assert roofline(device_op, chip) == pytest.approx(32 * 64 * 16 * cycles / 64 / chip.clock_hz * 1e9)


def test_the_least_time_of_an_addition_is_that_of_its_bytes(chip: ChipDesc) -> None:
    layout = Layout(DType.BF16)
    op = OPS["add"].on([real(1024, 512), real(1024, 512)], {})
    least = roofline(DeviceOp(op, (layout, layout), (layout,), GRID), chip)
    assert least == pytest.approx(3 * 1024 * 512 * 2 / chip.dram.peak_bytes_per_second * 1e9)
