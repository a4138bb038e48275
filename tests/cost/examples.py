"""One placed op for every mnemonic, at any scale."""

from typing import Any

from tests.ops.sized import sized
from ttstack.cost import cheapest_matmul
from ttstack.device.block_configs import fit_blocks
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.kernel_class import is_attention, is_contraction
from ttstack.device.layout import Grid, Layout, storage
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import ChipDesc

GRID = Grid(8, 8)


def real(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


NOT_ON_DEVICE = {name for name, spec in OPS.items() if not spec.executable}
COSTLESS = {"deallocate"}
NEEDS_A_REGION = {"generic"}
PRICED = sorted(OPS.keys() - NOT_ON_DEVICE - COSTLESS - NEEDS_A_REGION)


def placed(mnemonic: str, chip: ChipDesc, scale: int = 1) -> DeviceOp:
    """The op on the chip's grid, all tensors interleaved in DRAM."""
    op = sized(mnemonic, 64 * scale).op
    layouts = tuple(
        Layout(storage(t.dtype), tiled=i not in op.host_operands, filters=i in op.filter_operands)
        for i, t in enumerate(op.operands)
    )
    results = tuple(Layout(storage(t.dtype)) for t in op.results)
    if is_contraction(op.dispatch()) and not is_attention(op.dispatch()):
        return placed_matmul(op, layouts, results[0], chip)
    device_op = DeviceOp(op, layouts, results, GRID)
    placed = fit_blocks(device_op, chip, chip.l1_usable_bytes)
    assert placed is not None
    return placed


def placed_matmul(
    op: Any,
    layouts: tuple[Layout, ...],
    result: Layout,
    chip: ChipDesc,
    fidelity: Fidelity = Fidelity.HIFI4,
    budget: int | None = None,
) -> DeviceOp:
    """The matrix product with the configuration that fits the budget, all of L1 by default."""
    budget = chip.l1_usable_bytes if budget is None else budget
    found = cheapest_matmul(op, layouts, result, GRID, chip, budget, fidelity)
    assert found is not None
    return found
