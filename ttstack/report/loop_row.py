"""The row of a loop in a report: the sums of all iterations of its body and its condition."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from ttstack.cost.confidence import error_of_sum
from ttstack.cost.mesh import pcie_ns
from ttstack.cost.sensitivity import bound
from ttstack.cost.terms import Term
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid
from ttstack.device.loop_moves import copies, joins, slices
from ttstack.ops.control_flow import While
from ttstack.program.records import Function, Operation
from ttstack.program.written import written_values
from ttstack.report.model import OpReport, ReportFigures
from ttstack.report.op_prices import OpPrice, OpPrices
from ttstack.system_desc import ChipDesc

_Runs = list[tuple[OpReport, int]]
"""Ops, and how often each runs."""


def iterations(loop: While) -> int:
    """Return the iterations that a prediction counts: all, the largest number, or one where none is stated."""
    return loop.trip_count if loop.trip_count >= 0 else loop.max_iterations or 1


def loop_row(
    row: OpReport,
    function: Function,
    operation: Operation,
    chip: ChipDesc,
    report_of: Callable[[Function], ReportFigures],
    prices: OpPrices,
) -> tuple[OpReport, float]:
    """Return the row of a loop with the sums of its iterations, and their time with the library's defaults.

    After each condition, the host reads the truth value over PCIe while the device waits; that counts as gap.

    Args:
        row: The row of the op alone, which launches nothing.
        function: The function that has the loop.
        operation: The loop.
        chip: The chip that it runs on.
        report_of: Returns the report of one run of a function.
        prices: Prices of the slices and joins between iterations.
    """
    loop = function.definition(operation)
    assert isinstance(loop, While)
    count = iterations(loop)
    run = [(report_of(function.loop(loop.body)), count)]
    waits = 0.0
    if loop.condition:
        condition = function.loop(loop.condition)
        run.append((report_of(condition), count + 1))
        truth = condition.tensors[condition.outputs[0].tensor]
        if chip.pcie is not None:
            sizes = truth.layout.nbytes(truth.type), truth.layout.page_bytes(truth.type)
            waits = (count + 1) * pcie_ns(chip.pcie, *sizes, to_device=False)
    moves = [(_move(row, prices.of(move)), n) for move, n in _moves(function, operation, loop, chip)]
    ops: _Runs = [*((op, n) for report, n in run for op in report.ops), *moves]
    default = sum(report.library_default.elapsed_ns * n for report, n in run if report.library_default)
    default += sum(op.elapsed_ns * n for op, n in moves)
    return _sum(row, ops, count, waits) if ops else replace(row, times=count), default + waits


def _moves(function: Function, operation: Operation, loop: While, chip: ChipDesc) -> Iterator[tuple[DeviceOp, int]]:
    """Yield what is done around iterations, and how often."""
    grid, device_op = Grid(*chip.grid), function.device_op(operation)
    written = written_values(function.loop(loop.body), loop.carried)
    yield from ((move, 1) for move in copies(loop, device_op.operands, written, grid))
    yield from ((move, iterations(loop)) for move in slices(loop, device_op.operands, grid))
    yield from Counter(joins(loop, device_op.results, grid)).items()


def _move(row: OpReport, price: OpPrice) -> OpReport:
    cost = price.cost
    return replace(
        row,
        kernel_ns=cost.total_ns,
        gap_ns=cost.gap_ns,
        terms={term.value: ns for term, ns in cost.terms.items()},
        sensitivity=price.sensitivity,
        cores=cost.cores,
        dram_bytes=cost.dram_bytes,
        noc_bytes=cost.noc_bytes,
        dram_utilisation=cost.dram_utilisation,
        roofline_ns=price.roofline_ns,
        confidence=price.confidence,
        doubt_ns=price.uncertainty_ns,
    )


def _sum(row: OpReport, runs: _Runs, count: int, waits_ns: float) -> OpReport:
    kernel = sum(op.kernel_ns * n for op, n in runs)
    gap = sum(op.gap_ns * n for op, n in runs) + waits_ns
    terms: dict[str, float] = dict.fromkeys((t for op, _ in runs for t in op.terms), 0.0)
    for op, n in runs:
        for term, ns in op.terms.items():
            terms[term] += ns * n
    terms[Term.GAP.value] = gap
    saved = _sensitivity(runs, kernel + gap)
    longest, _ = max(runs, key=lambda run: run[0].elapsed_ns * run[1])
    parts = [(op.confidence.group or op.name, op.confidence.error, op.elapsed_ns * n) for op, n in runs]
    known = [(group, error, ns) for group, error, ns in parts if error is not None]
    error = error_of_sum(known) if len(known) == len(parts) else None
    return replace(
        row,
        kernel_ns=kernel,
        gap_ns=gap,
        terms=terms,
        bound=bound(saved),
        sensitivity=saved,
        cores=max(op.cores for op, _ in runs),
        flops=sum(op.flops * n for op, n in runs),
        dram_bytes=sum(op.dram_bytes * n for op, n in runs),
        noc_bytes=sum(op.noc_bytes * n for op, n in runs),
        flops_utilisation=sum(op.flops_utilisation * op.kernel_ns * n for op, n in runs) / kernel if kernel else 0.0,
        dram_utilisation=sum(op.dram_utilisation * op.kernel_ns * n for op, n in runs) / kernel if kernel else 0.0,
        roofline_ns=sum(op.roofline_ns * n for op, n in runs),
        confidence=replace(longest.confidence, error=error, low=None, high=None),
        doubt_ns=sum(op.doubt_ns * n for op, n in runs),
        times=count,
    )


def _sensitivity(runs: _Runs, total: float) -> dict[str, float]:
    sums: dict[str, float] = {}
    for op, n in runs:
        for resource, share in op.sensitivity.items():
            sums[resource] = sums.get(resource, 0.0) + share * op.elapsed_ns * n
    return dict(sorted(((r, ns / total) for r, ns in sums.items()), key=lambda item: -item[1]))


def is_uncounted(row: OpReport) -> bool:
    """Return True for a loop of which one iteration is predicted, as how many there are depends on values."""
    given = row.attributes
    return row.name == While.mnemonic and bool(given.get("condition")) and not given.get("max_iterations")
