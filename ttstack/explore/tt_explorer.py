"""The protocol of tt-explorer, whose frontend edits node attributes and runs: convert, execute, status_check.

tt-mlir's tt-adapter defines arguments and results of its commands (tools/explorer/tt_adapter).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from ttstack.device.device_op import Fidelity
from ttstack.device.layout import MemoryLayout, MemorySpace
from ttstack.diagnostics import InputError, TTStackError
from ttstack.explore.edits import edit
from ttstack.explore.session import Session
from ttstack.options.choices import RealFormat
from ttstack.placement.overrides import Overrides
from ttstack.program.launched import launched_positions
from ttstack.program.records import Function, Operation
from ttstack.report.formatting import duration
from ttstack.report.graphs.program_graph import op_node

Values = dict[str, Any]

_SHARDS = [kind for kind in MemoryLayout if kind is not MemoryLayout.REPLICATED]


def _one_of(options: Iterable[str]) -> Values:
    return {"input_type": "value_list", "options": list(map(str, options))}


_EDITABLE: Mapping[str, Values] = {
    "buffer_type": _one_of((MemorySpace.DRAM, MemorySpace.L1)),
    "tensor_memory_layout": _one_of(_SHARDS),
    "grid_shape": {"input_type": "grid", "separator": "x", "min_value": 1, "max_value": 16, "step": 1},
    "data_type": _one_of(RealFormat),
    "math_fidelity": _one_of(Fidelity),
}
"""The frontend's editors of values."""
_FIELDS = {
    "buffer_type": "memory",
    "tensor_memory_layout": "layout",
    "grid_shape": "grid",
    "data_type": "dtype",
    "math_fidelity": "fidelity",
}
"""tt-explorer's names of override fields."""
_AT = " @ "
"""The separator between an op's number and its location, which several ops can share."""


class TTExplorer:
    """The frontend's requests, for one session."""

    ID = "tt_adapter"
    METADATA: ClassVar[Values] = {
        "type": "adapter",
        "id": ID,
        "name": "ttstack for tt-explorer",
        "description": "The placed program, with attributes to edit",
        "source_repo": "",
        "fileExts": ["mlir", "ttir", "ttb"],
        "settings": {"optimizationPolicies": ["ttstack"], "supportsPreload": True},
    }

    def __init__(self, session: Session) -> None:
        self.session = session
        self.error: str | None = None
        self.commands: Mapping[str, Callable[[Values], Values]] = {
            "convert": lambda _: {"graphs": [self._graph()]},
            "execute": self._execute,
            "status_check": lambda _: {"graphs": [self._status()]},
            "preload": lambda _: {"graphs": [{"graphPaths": [session.path]}]},
        }

    def _graph(self) -> Values:
        """Return the graph of the last version, with editable fields, edits, and the time of each op."""
        version = self.session.versions[-1]
        function = version.binary.functions[0]
        (graph,) = (g.values() for g in version.graphs if g.id == version.graph_id(function))
        nodes = {node["id"]: node for node in graph["nodes"]}
        for number, at in enumerate(launched_positions(function)):
            nodes[op_node(number)]["attrs"] += _attributes(function, function.operations[at], number)
        time, *_ = version.overlays(function)
        return {**graph, "overlays": {"perf_data": {graph["id"]: time.node_data()}}, "overrides": {}, "cppCode": None}

    def _execute(self, command: Values) -> Values:
        """Compile with the edits; `status_check` returns the outcome."""
        self.error = None
        settings = command.get("settings")
        given = settings.get("overrides") if isinstance(settings, dict) else None
        version = self.session.versions[-1]
        function = version.binary.functions[0]
        try:
            wanted = _overrides(function, given if isinstance(given, dict) else {})
            self.session.place(version.graph_id(function), wanted, "edits of tt-explorer", version)
        except TTStackError as error:
            self.error = str(error.diagnostic)
        return {"graphs": []}

    def _status(self) -> Values:
        version = self.session.versions[-1]
        total = duration(next(iter(version.reports.values())).total_ns)
        said = f"{version.what}: {total} predicted"
        return {"isDone": True, "progress": 100, "total": 100, "error": self.error, "stdout": self.error or said}


def _overrides(function: Function, given: Mapping[str, Any]) -> Overrides:
    """Return the edits by node location; locations arrive without quotation marks."""
    found = Overrides()
    for key, entry in given.items():
        op = key.removeprefix("loc(").removesuffix(")").replace('"', "").partition(_AT)[0]
        for name, value in _pairs(key, entry):
            found = found.extend(edit(function, op, _FIELDS.get(name, name), value.strip("[]")))
    return found


def _pairs(key: str, entry: object) -> list[tuple[str, str]]:
    listed = entry.get("attributes") if isinstance(entry, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InputError(f"the override of '{key}' has no attributes", hint="give a list of keys and values")
    return [(str(each.get("key")), str(each.get("value"))) for each in listed]


def _attributes(function: Function, operation: Operation, number: int) -> list[Values]:
    """Return the op's unique location, and its editable fields."""
    name = f"{op_node(number)}{_AT}{operation.location or 'unknown'}"
    values: dict[str, object] = {"grid_shape": operation.grid, "math_fidelity": operation.fidelity}
    for tensor in operation.results[:1]:  # an op that writes into a cache has none
        layout = function.tensors[tensor].layout
        values["buffer_type"] = layout.memory_space
        values["tensor_memory_layout"] = layout.memory_layout
        values["data_type"] = layout.dtype
    fields = [{"key": key, "value": str(value), "editable": _EDITABLE[key]} for key, value in values.items()]
    return [{"key": "named_location", "value": name}, {"key": "full_location", "value": f'loc("{name}")'}, *fields]
