"""One network in a process of its own: `python -P -m benchmarks.unseen.child LIBRARY NAME GIB` prints JSON lines.

The process is started with the checkout whose code compiles in PYTHONPATH.
"""

import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.unseen.build import build

if TYPE_CHECKING:
    from ttstack.report.model import OpReport, TensorReport

SHOWN = 4
"""Operands, and results, that are recorded of a move."""


def main() -> None:
    """Print what each step found, until one fails."""
    library, name, gibibytes = sys.argv[1:]
    limit = int(gibibytes) << 30
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    step, record = "export", dict[str, Any]()
    try:
        _print(step=step)
        exported, depth = _exported(library, name)
        _print(step=(step := "compile"))
        record = {"depth": depth, **_compiled(exported)}
    except Exception as error:
        record = {"error": f"{type(error).__name__}: {str(error).strip()[:600]}"}
    _print(step=step, **record)


def _print(**record: Any) -> None:
    print(json.dumps(record), flush=True)


def _exported(library: str, name: str) -> tuple[torch.export.ExportedProgram, str]:
    """The network with its depth cut, or all of it where that fails: in some, later layers use each of several."""
    errors: list[Exception] = []
    for depth in ("cut", "whole"):
        try:
            model, candidates = build(library, name, cut=depth == "cut")
            return _first_accepted(model, candidates), depth
        except Exception as error:
            errors.append(error)
    raise errors[0]


def _first_accepted(model: torch.nn.Module, candidates: list[dict[str, torch.Tensor]]) -> torch.export.ExportedProgram:
    errors: list[Exception] = []
    for inputs in candidates:
        try:
            with torch.no_grad():
                return torch.export.export(model, (), inputs, strict=False)
        except Exception as error:
            errors.append(error)
    raise errors[0]


def _compiled(exported: torch.export.ExportedProgram) -> dict[str, Any]:
    import ttstack
    from benchmarks.published_models.predict import moves_only

    start = time.perf_counter()
    program = ttstack.compile(exported, system_desc="wormhole")
    seconds = time.perf_counter() - start
    report = program.cost()
    times = defaultdict[str, float](float)
    for op in report.ops:
        times[op.name] += op.elapsed_ns / 1e3
    moves = [op for op in report.ops if moves_only(op)]
    return {
        "us": report.total_ns / 1e3,
        "moving_us": sum(op.elapsed_ns for op in moves) / 1e3,
        "ops": len(report.ops),
        "seconds": round(seconds, 1),
        "parameters": sum(p.numel() for p in exported.state_dict.values()),
        "times_us": {name: round(us, 1) for name, us in sorted(times.items(), key=lambda item: -item[1])},
        "moves": _counted(moves),
    }


def _counted(moves: Sequence["OpReport"]) -> list[dict[str, Any]]:
    """Moves of equal shapes and layouts as one with their number and their time, the longest first."""
    equal = defaultdict[str, list["OpReport"]](list)
    for op in moves:
        tensors = *map(_tensor, op.operands), "->", *map(_tensor, op.results)
        attributes = {key: str(value)[:60] for key, value in op.attributes.items() if value is not None}
        equal[json.dumps([op.name, tensors, attributes])].append(op)
    counted = [_record(ops, *json.loads(key)) for key, ops in equal.items()]
    return sorted(counted, key=lambda move: -move["us"])


def _record(ops: Sequence["OpReport"], name: str, tensors: list[str], attributes: dict[str, str]) -> dict[str, Any]:
    us = round(sum(op.elapsed_ns for op in ops) / 1e3, 1)
    arrow = tensors.index("->")
    shown = {"operands": tensors[:arrow][:SHOWN], "results": tensors[arrow + 1 :][:SHOWN], "attributes": attributes}
    return {"op": name, "count": len(ops), "us": us, **shown, "location": ops[0].location}


def _tensor(tensor: "TensorReport") -> str:
    layout = tensor.layout
    shape = "x".join(map(str, tensor.type.shape))
    spread = str(layout.memory_layout).replace("_sharded", " shards").replace("interleaved", "pages")
    return f"{shape} {layout.dtype}{'' if layout.tiled else ' rows'} {layout.memory_space.upper()} {spread}"


if __name__ == "__main__":
    main()
