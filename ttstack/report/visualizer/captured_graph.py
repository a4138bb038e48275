"""The graph that tt-metal captures of a running op: device operation, circular buffers, and created tensors."""

import json
from typing import Any

from ttstack.program.records import Function, Operation
from ttstack.report.model import OpReport
from ttstack.system_desc import ChipDesc


def captured_graph(function: Function, operation: Operation, op: OpReport | None, chip: ChipDesc) -> str:
    """Return the records as JSON; a view launches nothing and has no `op` and device operation.

    The names of device operations, in order, are those of the performance table: by them both are linked.
    """
    nodes: list[dict[str, Any]] = []

    def add(kind: str, **params: object) -> int:
        node = {"counter": len(nodes), "node_type": kind, "params": {k: str(v) for k, v in params.items()}}
        nodes.append({**node, "connections": [], "arguments": [], "input_tensors": []})
        return len(nodes) - 1

    add("capture_start")
    outer = add("function_start", name=f"ttnn::{operation.name}", inputs=len(operation.operands))
    inner = None
    if op is not None:
        inner = add("function_start", name=op.op_code, inputs=len(operation.operands))
        _allocate(add, operation, op, chip)
    made = [add("tensor", tensor_id=i, shape=_shape(function.tensors[i].type.shape)) for i in operation.results]
    ends: list[int] = []
    if op is not None:
        add("circular_buffer_deallocate_all", device_id=0)
        ends.append(add("function_end", name=op.op_code))
    ends.append(add("function_end", name=f"ttnn::{operation.name}"))
    add("capture_end")
    nodes[0]["connections"] = [outer]
    nodes[outer]["connections"] = [inner if inner is not None else ends[-1], ends[-1]]
    if inner is not None:
        nodes[inner]["connections"] = [*range(inner + 1, ends[0]), ends[0]]
    for end in ends:
        nodes[end]["connections"] = made
    return json.dumps(nodes)


def _allocate(add: Any, operation: Operation, op: OpReport, chip: ChipDesc) -> None:
    """Add all circular buffers of a core as one, from the lowest address: their separate addresses are unknown."""
    if operation.circular_buffer_bytes:
        add(
            "circular_buffer_allocate",
            address=chip.l1_base,
            size=operation.circular_buffer_bytes,
            core_range_set=f"{{[(x=0,y=0) - (x={op.grid.cols - 1},y={op.grid.rows - 1})]}}",
            globally_allocated=0,
            device_id=0,
        )


def _shape(shape: tuple[int, ...]) -> str:
    return f"Shape({list(shape)})"
