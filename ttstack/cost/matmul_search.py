"""The blocks of a matrix product that take the least predicted time."""

from collections.abc import Sequence

from ttstack.cost.model import predict
from ttstack.device.device_op import DeviceOp, Fidelity
from ttstack.device.layout import Grid, Layout
from ttstack.device.matmul_configs import matmul_configs
from ttstack.ops.base import Op
from ttstack.system_desc import ChipDesc


def cheapest_matmul(
    op: Op,
    operands: Sequence[Layout],
    result: Layout,
    grid: Grid,
    chip: ChipDesc,
    l1_budget: int,
    fidelity: Fidelity = Fidelity.HIFI4,
) -> DeviceOp | None:
    """The matrix product with the blocks of least time whose buffers fit `l1_budget` bytes; None where none do.

    Of blocks that take equally long, those with the fewest bytes.
    """
    results = (result,) * len(op.results)
    candidates = [
        (DeviceOp(op, tuple(operands), results, grid, blocks.spread, fidelity, blocks.config), blocks.nbytes)
        for blocks in matmul_configs(op, operands, result, grid, chip)
        if blocks.nbytes <= l1_budget
    ]
    if not candidates:
        return None
    costs = [predict(device_op, chip) for device_op, _ in candidates]
    keys = [(cost.elapsed_ns, cost.total_ns, nbytes) for cost, (_, nbytes) in zip(costs, candidates, strict=True)]
    return candidates[keys.index(min(keys))][0]
