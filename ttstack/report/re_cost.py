"""A program's report on another device than it was compiled for, its placement as it is."""

from dataclasses import replace

from ttstack.diagnostics import BinaryFormatError
from ttstack.program.records import Binary
from ttstack.program.validate import validate
from ttstack.report.build import build_report
from ttstack.report.model import Report
from ttstack.system_desc import ChipDesc, SystemDesc


def on_system(binary: Binary, system: SystemDesc, function_name: str) -> tuple[Report, tuple[str, ...]]:
    """The report, and what it leaves out: that the placement does not fit, or could be a better one."""
    moved = replace(binary, system_desc=system)
    function = next(f for f in binary.functions if f.name == function_name)
    chip = moved.chip(function)
    report = build_report(moved, function_name)
    try:
        validate(function, chip)
    except BinaryFormatError as error:
        (fault,) = error.diagnostic.notes
        return report, (f"the placement does not fit this device: {fault}; compile the model for it",)
    if _has_more(chip, binary.chip(function)):
        return report, ("placed for the device before; compiled for this one, ops may take more cores or memory",)
    return report, ()


def _has_more(chip: ChipDesc, before: ChipDesc) -> bool:
    """Whether a placement for `before` leaves something of `chip` unused."""
    return chip.num_cores > before.num_cores or chip.l1_usable_bytes > before.l1_usable_bytes
