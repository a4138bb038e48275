"""A program with `ttnn`'s defaults for memories and blocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ttstack.cost import predict_calls
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.device.library_default import library_default
from ttstack.ops.generic import ToLayout
from ttstack.system_desc import ChipDesc, SystemDesc


@dataclass(frozen=True)
class DefaultRun:
    """Time of all ops with the library's defaults: tensors interleaved in DRAM, and the library's blocks."""

    elapsed_ns: float
    unknown: int = 0
    """Ops of which that choice is not known: they count as the program runs them."""
    ops: tuple[float | None, ...] = ()
    """Nanoseconds of each op; None if the default is unknown."""

    def saved_share(self, total_ns: float) -> float:
        """Return the saved share of a program with this time; negative if it is slower."""
        return 1 - total_ns / self.elapsed_ns if self.elapsed_ns else 0.0


def default_run(ops: Iterable[tuple[float, float | None]]) -> DefaultRun:
    """Return the totals of ops in order, from their nanoseconds and the results of `default_ns`."""
    given = list(ops)
    total = sum(ns if default is None else default for ns, default in given)
    found = tuple(default for _, default in given)
    return DefaultRun(total, found.count(None), found)


def default_ns(device_op: DeviceOp, chip: ChipDesc, system: SystemDesc) -> float | None:
    """Return the op's nanoseconds with defaults, 0 for changes of memory only; None if the default is unknown."""
    base = _in_dram(device_op, chip)
    if isinstance(base.op, ToLayout) and base.operands == base.results:
        return 0.0
    found = library_default(base, chip)
    return predict_calls(found, chip, system).elapsed_ns if found else None


def _in_dram(device_op: DeviceOp, chip: ChipDesc) -> DeviceOp:
    return replace(
        device_op,
        operands=tuple(map(_interleaved, device_op.operands)),
        results=tuple(map(_interleaved, device_op.results)),
        grid=Grid(*chip.grid),
        spread=Spread.FLAT,
        config=None,
    )


def _interleaved(layout: Layout) -> Layout:
    return layout if layout.on_host else layout.interleave(MemorySpace.DRAM)


def figures(run: DefaultRun, total_ns: float) -> Mapping[str, float]:
    """For JSON."""
    return {"elapsed_ns": run.elapsed_ns, "saved_share": run.saved_share(total_ns), "unknown_ops": run.unknown}
