"""A report as tt-metal's `ops_perf_results` table, version 2.1, with the columns of `ttrt perf`.

tt-perf-report 1.4.1, ttnn-visualizer and tt-explorer read it. Commas inside of cells are semicolons, as the
profiler writes them. The sum of DEVICE KERNEL DURATION is the report's `kernel_ns`, and that of OP TO OP
LATENCY its `gap_ns`: a row holds the gap before its op, the first that after the last op of the pass before.
"""

import csv
import io
import zlib
from collections.abc import Iterator
from typing import Any

from ttstack.device.program_config import config_fields
from ttstack.escape import csv_cell
from ttstack.report.csv_columns import ERRORS, VISITED, header
from ttstack.report.csv_tensors import shard_extents, tensor_cells
from ttstack.report.csv_windows import convolution, window_attributes
from ttstack.report.model import OpReport, ReportFigures, TensorReport

DEVICE = 0
_CALL_SHIFT = 10
"""GLOBAL CALL COUNT holds the device's number in its low bits."""


def csv_text(report: ReportFigures) -> str:
    """Return the whole table, with a signpost that names the function before its ops."""
    columns = header(
        inputs=max((len(op.operands) for op in report.ops), default=0) or 1,
        outputs=max((len(op.results) for op in report.ops), default=0) or 1,
    )
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _cell(v) for k, v in row.items()} for row in _rows(report))
    return text.getvalue()


def _cell(value: object) -> str:
    text = f"{value:.6f}" if isinstance(value, float) else str(value)
    line = " ".join(text.replace(",", ";").split())
    return csv_cell(line) if isinstance(value, str) else line


def _rows(report: ReportFigures) -> Iterator[dict[str, Any]]:
    yield {"OP CODE": report.function, "OP TYPE": "signpost", "HOST START TS": 0}
    start = 0.0
    gap = report.ops[-1].gap_ns if report.ops else 0.0
    for op in report.ops:
        start += gap
        yield _times(report, op, start, gap) | _identity(report, op) | dict(tensor_cells(op))
        start += op.kernel_ns
        gap = op.gap_ns


def _identity(report: ReportFigures, op: OpReport) -> dict[str, Any]:
    return {
        "OP CODE": op.op_code,
        "OP TYPE": "tt_dnn_device",
        "GLOBAL CALL COUNT": ((op.index + 1) << _CALL_SHIFT) | DEVICE,
        "DEVICE ID": DEVICE,
        "DEVICE ARCH": report.chip.arch,
        "ATTRIBUTES": _attributes(op),
        "MATH FIDELITY": op.fidelity,
        "CORE COUNT": op.cores,
        "AVAILABLE WORKER CORE COUNT": report.chip.num_cores,
        "PROGRAM HASH": zlib.crc32(repr((op.name, op.attributes, op.operands, config_fields(op.config))).encode()),
        "PROGRAM CACHE HIT": True,
        "LOC": f'loc("{op.location}")' if op.location else "loc(unknown)",
        "CONST_EVAL_OP": "false",
        "INPUT_LAYOUT_CONVERSION_OP": "false",
        "PROGRAM_METADATA": "{'loop_number': 0; 'program_index': 0}",
    } | _errors(op)


def _errors(op: OpReport) -> dict[str, Any]:
    """Return the interval of the op's time, its basis, and the visited scores."""
    said, between = op.confidence, op.confidence.interval
    basis = "; ".join(("nothing measured", *said.beyond)) if said.extrapolated else said.measured
    shares = ("", "") if between is None else [100 * share for share in between]
    visited = {} if op.visited_share is None else {VISITED: 100 * op.visited_share}
    return dict(zip(ERRORS, (*shares, basis), strict=True)) | visited


def _times(report: ReportFigures, op: OpReport, start: float, gap: float) -> dict[str, Any]:
    cycles = report.chip.clock_hz * 1e-9
    compute, bandwidth = op.flops_utilisation * op.kernel_ns, op.dram_utilisation * op.kernel_ns
    return {
        "HOST START TS": round(start) + op.index + 1,
        "HOST END TS": round(start) + op.index + 1,
        "HOST DURATION [ns]": 0,
        "DEVICE FW START CYCLE": round(start * cycles),
        "DEVICE FW END CYCLE": round((start + op.kernel_ns) * cycles),
        "OP TO OP LATENCY [ns]": gap,
        "OP TO OP LATENCY BR/NRISC START [ns]": gap,
        "DEVICE FW DURATION [ns]": op.kernel_ns,
        "DEVICE KERNEL DURATION [ns]": op.kernel_ns,
        "DEVICE KERNEL DURATION DM START [ns]": op.kernel_ns,
        "PM IDEAL [ns]": op.roofline_ns,
        "PM COMPUTE [ns]": compute,
        "PM BANDWIDTH [ns]": bandwidth,
        "PM REQ I BW": "[]",
        "PM REQ O BW": "[]",
        "PM FPU UTIL (%)": 100 * op.flops_utilisation,
        "DRAM BW UTIL (%)": 100 * op.dram_utilisation,
    }


def _attributes(op: OpReport) -> str:
    """Return the op's attributes as the profiler prints them, with its memory and program configurations."""
    found = {name: _spell(value) for name, value in op.attributes.items()}
    if (windows := convolution(op)) is not None:
        found |= dict(window_attributes(op, windows))
    elif op.config is not None:
        found["program_config"] = _program_config(op)
    if op.results:
        found["output_mem_config"] = _memory_config(op.results[0])
    return "{" + "; ".join(f"'{name}': '{value}'" for name, value in found.items()) + "}"


def _spell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).replace("'", "")


def _program_config(op: OpReport) -> str:
    grid = f"compute_with_storage_grid_size=(x={op.grid.cols};y={op.grid.rows})"
    config = config_fields(op.config)
    fields = (f"{name}={value}" for name, value in config.items() if name != "type")
    return f"{config.get('type', 'ProgramConfig')}({';'.join((grid, *fields))})"


def _memory_config(tensor: TensorReport) -> str:
    layout = tensor.layout
    shard = "std::nullopt"
    if layout.grid is not None:
        size = shard_extents(tensor.type, layout)
        last = f"(x={layout.grid.cols - 1};y={layout.grid.rows - 1})"
        shard = f"ShardSpec(grid={{[(x=0;y=0) - {last}]}};shape={{{size[0]}; {size[1]}}};orientation=ROW_MAJOR)"
    kind = f"TensorMemoryLayout::{layout.memory_layout.upper()}"
    space = f"BufferType::{layout.memory_space.upper()}"
    return f"MemoryConfig(memory_layout={kind};buffer_type={space};shard_spec={shard})"
