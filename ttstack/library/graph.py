"""The library's captured graph: device operations with their kernels and buffers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_BUFFERS = ("dataflow_buffer_allocate", "circular_buffer_allocate")
_PROGRAM = "circular_buffer_deallocate_all"
"""The node before the buffers of a program."""
_RANGE = re.compile(r"(\d+)-(\d+) - (\d+)-(\d+)")
_CORNER = re.compile(r'"(start|end)":\{"x":(\d+),"y":(\d+)\}')
_STEP = re.compile(r"step (\d+)")

Core = tuple[int, int]


@dataclass
class Launch:
    """One device operation."""

    name: str
    kernel: str
    """The selected program factory."""
    programs: list[dict[Core, int]] = field(default_factory=list[dict[Core, int]])
    """Bytes of buffers on each core, without those in tensors; for a collective, for each chip."""
    tensor_bytes: int = 0
    """L1 bytes on one core of the live tensors."""

    @property
    def cores(self) -> int:
        """The number of a chip's cores with a buffer."""
        return max(map(len, self.programs), default=0)

    @property
    def buffer_bytes(self) -> int:
        """Bytes of circular buffers on the fullest core."""
        return max((nbytes for load in self.programs for nbytes in load.values()), default=0)

    @property
    def peak_bytes(self) -> int:
        """Bytes of L1 on the fullest core."""
        return self.buffer_bytes + self.tensor_bytes


def launches(graph: Sequence[Mapping[str, Any]]) -> dict[int, list[Launch]]:
    """Return the device operations of each step."""
    found: dict[int, list[Launch]] = {}
    step, open_calls, live = -1, list[Launch | None](), dict[int, int]()
    for node in graph:
        kind: str = node["node_type"]
        params: dict[str, Any] = node.get("params") or {}
        if kind == "function_start" and (marker := _STEP.fullmatch(params["name"])):
            step, open_calls = int(marker[1]), []
        elif kind == "function_start":
            open_calls.append(_launch(params) if step >= 0 else None)
            if launch := open_calls[-1]:
                found.setdefault(step, []).append(launch)
        elif kind == "function_end" and open_calls:
            open_calls.pop()
        elif kind == "buffer_allocate" and params["type"] == "L1":
            live[node["connections"][0]] = int(params["max_size_per_bank"])
        elif kind == "buffer_deallocate":
            live.pop(node["connections"][0], None)
        if running := next((launch for launch in reversed(open_calls) if launch), None):
            running.tensor_bytes = max(running.tensor_bytes, sum(live.values()))
            _add(running, kind, params)
    return found


def _launch(params: Mapping[str, Any]) -> Launch | None:
    name = params["name"]
    if not re.fullmatch(r"\w+", name):  # a call of a library, not a device operation
        return None
    return Launch(name, params.get("program_factory_type", "").split("::")[-1].removesuffix("ProgramFactory"))


def _add(launch: Launch, kind: str, params: Mapping[str, Any]) -> None:
    if kind == _PROGRAM:
        launch.programs.append({})
    if kind not in _BUFFERS or "1" in (params.get("borrows_memory", "0"), params.get("globally_allocated", "0")):
        return
    if not launch.programs:
        launch.programs.append({})
    load = launch.programs[-1]
    for core in _cores(params["core_range_set"]):
        load[core] = load.get(core, 0) + int(params["size"])


def _cores(text: str) -> Iterator[Core]:
    boxes = [tuple(map(int, found)) for found in _RANGE.findall(text)]
    corners = _CORNER.findall(text)
    for pair in zip(corners[::2], corners[1::2], strict=True):
        (_, right, bottom), (_, left, top) = sorted(pair)
        boxes.append((int(left), int(top), int(right), int(bottom)))
    return iter({(x, y) for x0, y0, x1, y1 in boxes for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)})


def reason(text: str) -> str:
    """Return the essential line of the library's message: the text after `info:`, or the first line."""
    lines = [line.strip() for line in text.partition("backtrace")[0].splitlines() if line.strip()]
    if "info:" in lines[:-1]:
        lines = lines[lines.index("info:") + 1 :]
    return lines[0] if lines else "refused without a word"
