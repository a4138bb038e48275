"""Conversion of program records to a report, with only the cost model."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from ttstack.buffers.memory import Memory
from ttstack.cost import Cost
from ttstack.cost.sensitivity import bound
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import visible_scores
from ttstack.device.layout import MemorySpace
from ttstack.options.choices import Precision
from ttstack.program.buffers import buffers, live_bytes
from ttstack.program.l1_use import l1_resident_share, span_bytes
from ttstack.program.launched import launched_positions
from ttstack.program.named_functions import program_function
from ttstack.program.records import Binary, Function, Operation, Tensor
from ttstack.program.saved_options import saved_options
from ttstack.program.title import program_title
from ttstack.report.compile_options import changed_options
from ttstack.report.end_to_end import host_transfers, units_per_pass
from ttstack.report.library_default import default_run
from ttstack.report.loop_row import loop_row
from ttstack.report.model import BufferReport, CallReport, MemoryUse, OpReport, TensorReport
from ttstack.report.op_codes import op_class, op_code
from ttstack.report.op_prices import OpPrice, OpPrices
from ttstack.report.repeated import step_reports
from ttstack.report.report import Report
from ttstack.system_desc import ChipDesc

Prices = dict[ChipDesc, OpPrices]
"""Predicted costs of ops on a device, computed on demand."""


def build_report(binary: Binary, function_name: str | None = None, prices: Prices | None = None) -> Report:
    """Return the report of one function; the name is optional if the program has only one.

    What is asked of the cost model is kept in `prices`, for other versions of the program on the same system.

    Raises:
        InputError: there is no such function, or several and no name.
    """
    function = program_function(binary, function_name)
    return _report(binary, function, {} if prices is None else prices)


def _report(binary: Binary, function: Function, shared: Prices) -> Report:
    chip = binary.chip(function)
    known = shared.setdefault(chip, OpPrices(chip, binary.system_desc))
    live = {space: live_bytes(function, chip, space) for space in (MemorySpace.L1, MemorySpace.DRAM)}
    ops: list[OpReport] = []
    compared: list[tuple[float, float | None]] = []
    launched = launched_positions(function)
    for at in launched:
        operation = function.operations[at]
        device_op = function.device_op(operation)
        price = known.of(device_op)
        held = {space: used[at] for space, used in live.items()}
        row = _op(len(ops), function, operation, device_op, price, held)
        default = price.default_ns
        if device_op.op.functions:
            row, default = loop_row(row, function, operation, chip, lambda loop: _report(binary, loop, shared), known)
        compared.append((row.elapsed_ns, default))
        ops.append(row)
    return Report(
        function=function.name,
        system=binary.system_desc.name,
        chip=chip,
        ops=tuple(ops),
        memory={str(space): _memory_use(function, chip, space, held) for space, held in live.items()},
        tables=binary.tables,
        staying=l1_resident_share(function),
        precision=_precision(binary.options),
        bound_ns=function.bound_ns,
        greedy_saves_ns=function.greedy_saves_ns,
        recomputation=function.recomputation,
        library_default=default_run(compared),
        buffers=tuple(_buffers(function, chip)),
        steps=tuple(step_reports(function, launched)),
        title=program_title(binary, function),
        options=changed_options(binary.options),
        units=units_per_pass(function),
        transfers=host_transfers(function, chip),
    )


def _precision(options: str) -> str:
    """Return the precision in the program's options, if readable."""
    found = saved_options(options).get("precision")
    return Precision(found) if found in tuple(Precision) else ""


def _op(
    index: int,
    function: Function,
    operation: Operation,
    device_op: DeviceOp,
    price: OpPrice,
    held: Mapping[MemorySpace, int],
) -> OpReport:
    cost = price.cost
    return OpReport(
        index=index,
        name=operation.name,
        op_class=op_class(device_op),
        op_code=op_code(device_op),
        location=operation.location,
        kernel_ns=cost.total_ns,
        gap_ns=cost.gap_ns,
        terms={term.value: ns for term, ns in cost.terms.items()},
        bound=bound(price.sensitivity),
        sensitivity=price.sensitivity,
        cores=cost.cores,
        flops=cost.flops,
        dram_bytes=cost.dram_bytes,
        noc_bytes=cost.noc_bytes,
        flops_utilisation=cost.flops_utilisation,
        dram_utilisation=cost.dram_utilisation,
        roofline_ns=price.roofline_ns,
        l1_bytes=held[MemorySpace.L1],
        channel_bytes=held[MemorySpace.DRAM],
        circular_buffer_bytes=operation.circular_buffer_bytes,
        visited_share=None if (seen := visible_scores(device_op.op)) is None else seen.share,
        fidelity=str(operation.fidelity),
        operands=tuple(_tensor(function.tensors[i]) for i in operation.operands if i is not None),
        results=tuple(_tensor(function.tensors[i]) for i in operation.results),
        grid=operation.grid,
        attributes=operation.attributes,
        confidence=price.confidence,
        doubt_ns=price.uncertainty_ns,
        config=operation.config,
        calls=_calls(device_op, price.calls),
    )


def _calls(device_op: DeviceOp, calls: Sequence[tuple[DeviceOp, Cost]]) -> tuple[CallReport, ...]:
    """Return the kernels that an op is decomposed to."""
    priced = [(call, cost) for call, cost in calls if cost.cores]
    if len(priced) == 1 and type(priced[0][0].op) is type(device_op.op):
        return ()
    return tuple(CallReport(call.op.title, cost.elapsed_ns) for call, cost in priced)


def _tensor(tensor: Tensor) -> TensorReport:
    return TensorReport(tensor.name, tensor.type, tensor.layout)


def _buffers(function: Function, chip: ChipDesc) -> Iterator[BufferReport]:
    """Return the buffers that are there while an op runs, with the numbers of the first and the last one."""
    launched = launched_positions(function)
    for buffer in buffers(function, chip):
        first, last = bisect_left(launched, buffer.life.first), bisect_right(launched, buffer.life.last) - 1
        tensor = function.tensors[buffer.tensor]
        if first <= last and not tensor.layout.on_host:
            yield BufferReport(_tensor(tensor), tensor.kind, buffer.start, buffer.nbytes, first, last)


def _memory_use(function: Function, chip: ChipDesc, space: MemorySpace, live: Sequence[int]) -> MemoryUse:
    memory, peak = Memory.of(chip, space), max(live, default=0)
    at = function.operations[live.index(peak)] if peak else None
    op, location = (at.name, at.location) if at else ("", "")
    span = span_bytes(function, chip, space)
    together = memory.banks if space is MemorySpace.DRAM else 1
    return MemoryUse(peak * together, memory.capacity * together, memory.banks, span * together, op, location)
