"""How far a prediction can be trusted: the measurements behind it, and what it has beyond them."""

from collections.abc import Iterator
from dataclasses import dataclass

from ttstack.cost.result import Cost
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import is_attention, is_contraction, is_rowwise
from ttstack.device.layout import MemoryLayout
from ttstack.ops.devices import MeshOp
from ttstack.ops.loops import Access
from ttstack.ops.windows import WindowOp
from ttstack.system_desc import ChipDesc

MATMUL, SHARDED_MATMUL = "matmul", "matmul_height_sharded"
ATTENTION, ELTWISE, RESHARD, MOVES = "flash_attention", "elementwise", "reshard", "interleaved_to_sharded"


@dataclass(frozen=True, slots=True)
class Confidence:
    """The class of measurements that a prediction rests on, and how well they are predicted."""

    measured: str = ""
    """Key in the device's `calibration`; empty where nothing like it was measured on such a device."""
    error: float | None = None
    """Mean absolute error on shapes of that class that the fit had not seen, as a share of the measured time."""
    beyond: tuple[str, ...] = ()
    """In what the op is outside of what was measured."""

    @property
    def extrapolated(self) -> bool:
        """Whether the op is not like the measured ones, or there are none."""
        return not self.measured or bool(self.beyond)


def confidence(device_op: DeviceOp, cost: Cost, chip: ChipDesc) -> Confidence:
    """What stands behind a prediction."""
    measured, beyond = _class(device_op, chip)
    found = chip.calibration.get(measured)
    if found is None:
        return Confidence(beyond=("no such op was measured on this device",))
    if not found.least_ns <= cost.elapsed_ns <= found.most_ns:
        beyond = (
            *beyond,
            "shorter than all measured" if cost.elapsed_ns < found.least_ns else "longer than all measured",
        )
    return Confidence(measured, found.error, beyond)


def _class(device_op: DeviceOp, chip: ChipDesc) -> tuple[str, tuple[str, ...]]:
    """The nearest class of measurements, and in what the op differs from its members."""
    dispatch = device_op.dispatch
    if isinstance(device_op.op, MeshOp):
        return "", ()
    if is_attention(dispatch):
        return ATTENTION, () if device_op.op.mnemonic == "scaled_dot_product_attention" else ("another kernel",)
    if is_contraction(dispatch):
        sharded = device_op.operands[0].memory_layout is MemoryLayout.HEIGHT_SHARDED
        return SHARDED_MATMUL if sharded else MATMUL, tuple(_product_differences(device_op))
    if any(which.access is Access.GATHER for which in (*dispatch.inputs, *dispatch.outputs)):
        return _move(device_op)
    if is_rowwise(dispatch) or dispatch.reductions:
        return ELTWISE, ("passes over rows",)
    functions = sorted({op.name for op in dispatch.work} - _measured_functions(chip))
    return ELTWISE, tuple(f"{name} was not measured" for name in functions)


def _product_differences(device_op: DeviceOp) -> Iterator[str]:
    if isinstance(device_op.op, WindowOp):
        yield "a convolution"
    elif any(loop is not None for loop in device_op.dispatch.inputs[1].loops[:-2]):
        yield "a batch of products"
    elif device_op.dispatch.work[0].name != "matmul":
        yield "no plain product"
    elif device_op.operands[1].sharded and not device_op.operands[1].in_l1:
        yield "weights over the banks of DRAM"


def _move(device_op: DeviceOp) -> tuple[str, tuple[str, ...]]:
    layouts = device_op.layouts()
    sharded = [layout.in_l1 and layout.sharded for layout in layouts]
    plain = device_op.op.mnemonic == "to_layout" and len({(x.dtype, x.tiled) for x in layouts}) == 1
    if plain and all(sharded):
        return RESHARD, ()
    return MOVES, () if plain and sharded == [False, True] else ("another move",)


def _measured_functions(chip: ChipDesc) -> set[str]:
    """Functions whose cycles are published, and what the matrix unit does."""
    table = chip.vector.cycles_per_tile
    known = {name for name in table if "ESTIMATE" not in (chip.source_of(f"vector.cycles_per_tile.{name}") or "")}
    return known | {"add", "subtract", "multiply", "copy"}
