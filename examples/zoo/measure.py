"""Measure one model in this process: export, compile and cost it, run it and compare it with PyTorch."""

import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from examples.zoo.record import Record
from ttstack.ops.types import DType
from ttstack.support.collector import rare_collections

if TYPE_CHECKING:
    from ttstack import Program
    from ttstack.frontends.source import SourceModel

COMPARED: Mapping[str, Literal["ieee", "device"]] = {"f32": "ieee", "bf16": "device", "bfp8_b": "device"}
"""Formats in which models that have values are run, and how the runtime computes then."""


def measure(name: str, size: str, dtype: str, system_desc: str) -> Record:
    """The record of `examples.zoo.<name>:<size>`; an error of the compiler or of PyTorch ends up in it."""
    record = Record(name, size, dtype)
    try:
        factory = getattr(import_module(f"examples.zoo.{name}"), size)
        record = replace(record, about=str(factory.__doc__).splitlines()[0])
        return _measured(record, factory(), system_desc)
    except Exception as error:
        return replace(record, failure=f"{type(error).__name__}: {str(error).strip() or 'no reason given'}")


def _measured(record: Record, example: tuple[Any, ...], system_desc: str) -> Record:
    import torch

    from ttstack.frontends.source import import_model

    model, args, kwargs = example
    start = time.perf_counter()
    with torch.no_grad():
        exported = torch.export.export(model, args, kwargs)
    seconds = {"export": time.perf_counter() - start}
    before = _reset_peak()
    with import_model(exported) as found:
        program = _compiled(found, record.dtype, system_desc)
        start = time.perf_counter()
        report = program.cost()
        phases = dict(program.phases)
        seconds["import"] = phases.pop("export") + phases.pop("import")
        seconds |= {"compile": sum(phases.values()), "cost": time.perf_counter() - start}
        peak = _status("VmHWM")
        record = replace(
            record,
            seconds=seconds,
            beyond_bytes=peak - before,
            peak_bytes=peak,
            torch_ops=sum(node.op == "call_function" for node in exported.graph.nodes),
            device_ops=len(report.ops),
            predicted_ns=report.total_ns,
        )
        if any(tensor.is_meta for tensor in exported.state_dict.values()):
            return record
        others = {dtype: _compiled(found, dtype, system_desc) for dtype in COMPARED if dtype != record.dtype}
    with torch.no_grad():
        expected = _arrays(model(*args, **kwargs))
    return _compared(record, {**others, record.dtype: program}, _arrays((args, kwargs)), expected)


@rare_collections()
def _compiled(found: "SourceModel", dtype: str, system_desc: str) -> "Program":
    """The program for a format; the imported model stays as it is, for other formats."""
    from ttstack.compiled_program import Program
    from ttstack.compiler import compile_module
    from ttstack.options.model import CompileOptions

    options = CompileOptions(system_desc=system_desc, dtype=DType(dtype))
    compiled = compile_module(found.module.operation.clone(), options, weights=found.weights)
    return Program(compiled.binary, {**found.phases, **compiled.phases})


def _compared(
    record: Record, programs: Mapping[str, "Program"], inputs: list[np.ndarray], expected: list[np.ndarray]
) -> Record:
    from ttstack_runtime.numerics import difference

    for dtype, numerics in COMPARED.items():
        program = programs[dtype]
        run = program.run(dict(zip(program.inputs(), inputs, strict=True)), numerics=numerics)
        pairs = list(zip(run.outputs.values(), expected, strict=True))
        if numerics == "ieee":
            record = replace(record, error=max(difference(ours, theirs).relative for ours, theirs in pairs))
        else:
            record = replace(record, pcc={**record.pcc, dtype: min(difference(a, b).pcc for a, b in pairs)})
    return record


def _arrays(structure: object) -> list[np.ndarray]:
    """The tensors of a nested structure in order."""
    import torch
    from torch.utils import _pytree as pytree

    return [leaf.numpy() for leaf in pytree.tree_leaves(structure) if isinstance(leaf, torch.Tensor)]


def _reset_peak() -> int:
    """Start the peak of this process's memory anew; gives the bytes that it holds now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(key: str) -> int:
    """Bytes that Linux counts for this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:"))
