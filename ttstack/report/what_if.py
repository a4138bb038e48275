"""A program's report on another device with its existing placement."""

from collections.abc import Iterator
from dataclasses import replace

from ttstack.device.layout import Grid, MemorySpace
from ttstack.diagnostics import BinaryFormatError, CapacityError
from ttstack.program.records import Binary, Function
from ttstack.program.validate import validate
from ttstack.report.build import build_report
from ttstack.report.report import Report
from ttstack.system_desc import ChipDesc, SystemDesc


def on_system(binary: Binary, system: SystemDesc, function_name: str) -> tuple[Report, tuple[str, ...]]:
    """Return the report, and a note that the placement could be better.

    Raises:
        CapacityError: the program does not fit the device, with what does not.
    """
    moved = replace(binary, system_desc=system)
    function = next(f for f in binary.functions if f.name == function_name)
    before, chip = binary.chip(function), moved.chip(function)
    if faults := tuple(_misfits(function, before, chip)):
        raise CapacityError(
            f"the program is placed for {binary.system_desc.name}, and does not fit {system.name}",
            notes=faults,
            hint="--recompile MODEL places it anew, as `ttstack compile` for that device does",
        )
    report = build_report(moved, function_name)
    if _has_more(chip, before):
        return report, ("placed for the device before; compiled for this one, ops may take more cores or memory",)
    return report, ()


def _misfits(function: Function, before: ChipDesc, chip: ChipDesc) -> Iterator[str]:
    """Yield the parts of the function that do not fit: fewer banks, otherwise the first validation error."""
    spread = {t.layout.memory_space for t in function.tensors if not t.layout.sharded}
    if MemorySpace.DRAM in spread and chip.dram_banks < before.dram_banks:
        yield f"its buffers in DRAM are spread over {before.dram_banks} channels, the device has {chip.dram_banks}"
    device = Grid(*chip.grid)
    too_large = (op.grid for op in function.operations if not op.grid.fits(device))
    if needed := max(too_large, key=lambda grid: grid.cores, default=None):
        yield f"its ops run on up to {needed} cores, the device has {device}"
    elif MemorySpace.L1 in spread and chip.num_cores < before.num_cores:
        yield f"its buffers in L1 are spread over {before.num_cores} cores, the device has {chip.num_cores}"
    try:
        validate(function, chip)
    except BinaryFormatError as error:
        yield from error.diagnostic.notes


def _has_more(chip: ChipDesc, before: ChipDesc) -> bool:
    """Return True if a placement for `before` leaves resources of `chip` unused."""
    return chip.num_cores > before.num_cores or chip.l1_usable_bytes > before.l1_usable_bytes
