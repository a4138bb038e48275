"""A report as values that JSON has."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from ttstack.device.program_config import config_fields
from ttstack.report.groups import Group
from ttstack.report.library_default import figures
from ttstack.report.model import OpReport, ReportFigures, TensorReport

FORMAT = 3
"""The version of the JSON text; it increases if a field changes its meaning or is removed."""


def to_dict(report: ReportFigures) -> dict[str, Any]:
    """Return the whole report; times in nanoseconds, sizes in bytes, shares from 0 to 1."""
    return {
        "format": FORMAT,
        "function": report.function,
        **_title(report),
        "system": report.system,
        "arch": report.chip.arch,
        "ttnn": report.chip.ttnn,
        **({"precision": report.precision} if report.precision else {}),
        "total_ns": report.total_ns,
        "kernel_ns": report.kernel_ns,
        "gap_ns": report.gap_ns,
        "roofline_ns": report.roofline_ns,
        **({"rates": [asdict(rate) for rate in report.rates]} if report.rates else {}),
        **({"end_to_end": asdict(run) | {"untraced": [*run.untraced]}} if (run := report.end_to_end) else {}),
        "likely_ns": _pair(report.likely_ns),
        "expected_error": report.expected_error,
        **_unknown(report),
        "trust": {str(trust): share for trust, share in report.trust_shares.items()},
        "measured_kernels": asdict(report.measured_kernels),
        "doubt_ns": report.doubt_ns,
        "bound_ns": report.bound_ns,
        "placement_gap": report.placement_gap,
        **({"greedy_saves_ns": report.greedy_saves_ns} if report.greedy_saves_ns else {}),
        **({"recomputation": report.recomputation.as_dict()} if report.recomputation else {}),
        **({"library_default": figures(of, report.total_ns)} if (of := report.library_default) else {}),
        "sensitivity": report.sensitivity,
        "shares": report.shares(),
        "staying_in_l1": report.staying,
        "memory": {name: asdict(use) for name, use in report.memory.items()},
        **({"tables": [record.known_fields() for record in report.tables]} if report.tables else {}),
        "ops": [_op(report, op) for op in report.ops],
        **({"steps": [asdict(step) for step in report.steps]} if report.steps else {}),
    }


def _unknown(report: ReportFigures) -> dict[str, Any]:
    """Return the time of ops whose error is unknown, and by figures of the device that were not measured."""
    if not report.unknown_ns:
        return {}
    return {"unknown_ns": report.unknown_ns, "unmeasured_figures": dict(report.unmeasured_figures)}


def _title(report: ReportFigures) -> dict[str, str]:
    """Return model, input shape and formats, if known."""
    title = report.title
    return {"model": title.model, "input": title.inputs, "formats": title.formats} if title else {}


def group_rows(report: ReportFigures, group: Group, depth: int) -> list[dict[str, Any]]:
    """Return the nested groups, `depth` deep, each before its own nested groups, with its path."""
    return [
        {
            "path": list(g.path),
            "ops": len(g.ops),
            "elapsed_ns": g.elapsed_ns,
            "kernel_ns": g.kernel_ns,
            "roofline_ns": g.roofline_ns,
            "share": report.share(g),
        }
        for g in group.down_to(depth)
    ]


def to_json(report: ReportFigures, *, indent: int | None = 2) -> str:
    """Return the whole report as text."""
    return json.dumps(to_dict(report), indent=indent)


def flat_row(report: ReportFigures, op: OpReport) -> dict[str, Any]:
    """One op without nesting: terms as `<term>_ns`, tensors as text."""
    row = _numbers(report, op)
    terms = {f"{name}_ns": ns for name, ns in op.terms.items() if f"{name}_ns" not in row}
    tensors = {
        "operands": "; ".join(map(str, op.operands)),
        "results": "; ".join(map(str, op.results)),
    }
    return row | terms | tensors


def plain(value: Any) -> Any:
    """Return an attribute's value as JSON; unsupported types as text."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in cast(Sequence[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _numbers(report: ReportFigures, op: OpReport) -> dict[str, Any]:
    return {
        "index": op.index,
        "name": op.name,
        "op_class": op.op_class,
        "op_code": op.op_code,
        "location": op.location,
        "elapsed_ns": op.elapsed_ns,
        "kernel_ns": op.kernel_ns,
        "gap_ns": op.gap_ns,
        "share": report.share(op),
        "bound": op.bound,
        "bound_share": op.bound_share,
        "cores": op.cores,
        "grid": str(op.grid),
        "fidelity": op.fidelity,
        "flops": op.flops,
        "dram_bytes": op.dram_bytes,
        "noc_bytes": op.noc_bytes,
        "flops_utilisation": op.flops_utilisation,
        "dram_utilisation": op.dram_utilisation,
        "roofline_ns": op.roofline_ns,
        "measured_class": op.confidence.measured,
        "expected_error": op.confidence.error,
        "trust": str(op.confidence.trust),
        "l1_bytes": op.l1_bytes,
        "visited_share": op.visited_share,
    }


def _op(report: ReportFigures, op: OpReport) -> dict[str, Any]:
    return _numbers(report, op) | {
        "sensitivity": dict(op.sensitivity),
        "terms": dict(op.terms),
        "likely_ns": _pair(op.likely_ns),
        "beyond": list(op.confidence.beyond),
        "doubt_ns": op.doubt_ns,
        "calls": [{"name": call.name, "elapsed_ns": call.elapsed_ns} for call in op.calls],
        "operands": [_tensor(t) for t in op.operands],
        "results": [_tensor(t) for t in op.results],
        "attributes": plain(op.attributes),
        "config": config_fields(op.config),
    }


def _pair(likely_ns: tuple[float, float] | None) -> list[float] | None:
    return None if likely_ns is None else list(likely_ns)


def _tensor(tensor: TensorReport) -> dict[str, str]:
    return {"name": tensor.name, "type": str(tensor.type), "layout": str(tensor.layout)}
