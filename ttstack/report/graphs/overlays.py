"""Overlays, which colour the nodes of a graph: a number or a word for each op."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttstack.report.graphs.program_graph import op_node
from ttstack.report.model import ReportFigures
from ttstack.report.palette import colours_of

_LIGHT, _DARK = "#fff3c4", "#b3261e"
_LESS, _SAME, _MORE = "#0072b2", "#f6f7f9", "#d55e00"


@dataclass(frozen=True)
class Overlay:
    """Values by node."""

    name: str
    values: Mapping[str, float | str]
    signed: bool = False
    """True if negative values have a separate colour."""

    @property
    def stem(self) -> str:
        """The name of a file for it: without the unit, in lower case."""
        words = "".join(c if c.isalnum() else " " for c in self.name.partition("[")[0].replace("'", "")).split()
        return "-".join(words).lower()

    def node_data(self) -> dict[str, Any]:
        """Return the overlay as Model Explorer's node data."""
        words = [value for value in self.values.values() if isinstance(value, str)]
        colours = colours_of(words)
        results = {node: _result(value, colours) for node, value in self.values.items()}
        return {"name": self.name, "results": results, **({} if words else {"gradient": self._gradient()})}

    def file_json(self, graph: str) -> str:
        """Return the overlay as a file for one graph."""
        return json.dumps({graph: self.node_data()}, ensure_ascii=False)

    def _gradient(self) -> list[dict[str, Any]]:
        numbers = [float(value) for value in self.values.values()]
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        if not self.signed:
            return [_stop(0.0, _LIGHT), _stop(1.0, _DARK)]
        if low >= 0 or high <= 0:
            return [_stop(0.0, _SAME if low >= 0 else _LESS), _stop(1.0, _MORE if low >= 0 else _SAME)]
        return [_stop(0.0, _LESS), _stop(-low / (high - low), _SAME), _stop(1.0, _MORE)]


def overlays(report: ReportFigures) -> tuple[Overlay, ...]:
    """Time first, which the others explain."""
    ops = report.ops
    columns: dict[str, dict[int, float | str]] = {
        "time [µs]": {op.index: op.elapsed_ns / 1000 for op in ops},
        "bound": {op.index: op.bound for op in ops},
        "times the ideal": {op.index: op.elapsed_ns / op.roofline_ns for op in ops if op.roofline_ns},
        "L1 of a core [KiB]": {op.index: op.l1_bytes / 1024 for op in ops},
        "DRAM traffic [KiB]": {op.index: op.dram_bytes / 1024 for op in ops},
        "error of the prediction [%]": {
            op.index: 100 * op.confidence.error for op in ops if op.confidence.error is not None
        },
    }
    found = [Overlay(name, by_node(values)) for name, values in columns.items()]
    defaults = report.library_default.ops if report.library_default else ()
    over = {op.index: (op.elapsed_ns - ns) / 1000 for op, ns in zip(ops, defaults, strict=False) if ns is not None}
    return (*found, Overlay("more than the library's default [µs]", by_node(over), signed=True))


def by_node(values: Mapping[int, float | str]) -> dict[str, float | str]:
    """Return values by node id instead of op number."""
    return {op_node(number): value for number, value in values.items()}


def _result(value: float | str, colours: Mapping[str, str]) -> dict[str, Any]:
    return {"value": value, "bgColor": colours[value]} if isinstance(value, str) else {"value": round(value, 4)}


def _stop(at: float, colour: str) -> dict[str, Any]:
    return {"stop": at, "bgColor": colour}
