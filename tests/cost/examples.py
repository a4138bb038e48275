"""One placed op for every mnemonic, at any scale."""

from typing import Any

from tests.ops.sized import sized
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Grid, Layout, storage
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import Pricing, place_op
from ttstack.system_desc import ChipDesc

GRID = Grid(8, 8)


def real(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


NOT_ON_DEVICE = {name for name, spec in OPS.items() if not spec.executable}
COSTLESS = {"deallocate", "while"}
"""Ops that launch nothing themselves."""
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
    return fastest(place_op(op, layouts, results, GRID), chip)


def fastest(base: DeviceOp, chip: ChipDesc, budget: int | None = None) -> DeviceOp:
    """The op with the configuration of least time that fits the budget, all of L1 by default."""
    found = Pricing(chip).fastest(base, [base.grid], budget)
    assert found is not None
    return found.device_op


def placed_matmul(
    op: Any,
    layouts: tuple[Layout, ...],
    result: Layout,
    chip: ChipDesc,
    fidelity: Fidelity = Fidelity.HIFI4,
    budget: int | None = None,
) -> DeviceOp:
    """The same of a matrix product."""
    return fastest(DeviceOp(op, layouts, (result,) * len(op.results), GRID, fidelity=fidelity), chip, budget)
