"""Runs programs on a mock device, in an interpreter with `ttnn` and without ttstack.

    python child.py REQUEST.json RESULTS.jsonl

The results are a line for the version of `ttnn`, then one for each finished program; all run on the device that the
first one opens. Every step of a program is executed separately, so that all rejected steps are found; the results of
rejected ones are allocated empty. A first run allocates nothing and lists all buffers, a second one assigns addresses
and shows what does not fit, and a third one runs the program unchanged.
"""

import contextlib
import gc
import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any, TextIO

PASSES = (("validate", "NO_DISPATCH"), ("allocate", "NORMAL"))
"""The runs, and the library's names of their modes."""


def main() -> None:
    """Read the request, run, and write the results."""
    request = json.loads(Path(sys.argv[1]).read_text())
    ttnn = importlib.import_module("ttnn")
    version = importlib.metadata.version("ttnn")
    with Path(sys.argv[2]).open("w") as results:
        write(results, {"version": version})
        if request["version"] not in (None, version):
            return
        sys.path.append(request["standin"])  # after the import: with a torch in sight, ttnn imports far more of it
        run_all(ttnn, request["programs"], results)


def run_all(ttnn: Any, programs: list[dict[str, Any]], results: TextIO) -> None:
    """Run all programs on one device."""
    first = load(programs[0]["path"])
    device = first.open_device()
    device.disable_and_clear_program_cache()
    try:
        for asked in programs:
            write(results, run(ttnn, load(asked["path"]), device, asked["steps"]))
    finally:
        close(ttnn, first, device)


def run(ttnn: Any, program: Any, device: Any, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the library's results for each step, and for the program."""
    nothing: dict[str, Any] = {"graph": [], "refusals": {}, "results": {}}
    try:
        put_inputs(program, device)
    except Exception as error:
        return {name: nothing for name, _ in PASSES} | {"refusal": str(error) or repr(error)}
    found: dict[str, Any] = {}
    for name, mode in PASSES:
        found[name] = run_steps(ttnn, program, device, steps, getattr(ttnn.graph.RunMode, mode))
    found["refusal"] = run_whole(program, device)
    gc.collect()  # what is left of this program takes no memory from the next
    return found


def write(results: TextIO, found: dict[str, Any]) -> None:
    """Write a line, flushed in case the next program crashes the process."""
    results.write(json.dumps(found) + "\n")
    results.flush()


def load(path: str) -> Any:
    """Import the program as a module."""
    spec = importlib.util.spec_from_file_location("checked_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put_inputs(program: Any, device: Any) -> dict[str, Any]:
    """Create all inputs and weights, without values."""
    tensors = {**program.WEIGHTS, **program.INPUTS}
    return {name: program.put(device, tensor) for name, tensor in tensors.items()}


def run_steps(ttnn: Any, program: Any, device: Any, steps: list[dict[str, Any]], mode: Any) -> dict[str, Any]:
    """Return the captured graph with a marker for each step, the errors of rejected steps, and result differences."""
    variables: dict[str, Any] = {**vars(program), "device": device}
    refusals: dict[int, str] = {}
    results: dict[int, str] = {}
    mark = ttnn._ttnn.graph.track_function_start
    ttnn.graph.begin_graph_capture(mode)
    try:
        variables["t"] = put_inputs(program, device)  # here, since what is freed without dispatch was made without
        unprepared = prepare(variables, steps)
        for number, step in enumerate(steps):
            mark(f"step {number}")
            try:
                if number in unprepared:
                    raise unprepared[number]
                exec(step["source"], variables)
            except Exception as error:
                refusals[number] = str(error) or repr(error)
                mark("instead")
                with contextlib.suppress(Exception):  # what does not fit was refused for that
                    exec(step["instead"], variables)
            else:
                results[number] = otherwise(ttnn, program, variables, step["instead"])
    finally:
        variables.clear()
        graph = ttnn.graph.end_graph_capture()
    return {"graph": graph, "refusals": refusals, "results": {at: said for at, said in results.items() if said}}


def prepare(variables: dict[str, Any], steps: list[dict[str, Any]]) -> dict[int, Exception]:
    """Prepare weights, as the program does before its first pass; return errors by step."""
    failed: dict[int, Exception] = {}
    for number, step in enumerate(steps):
        try:
            exec(step["prepared"], variables)
        except Exception as error:
            failed[number] = error
    return failed


def otherwise(ttnn: Any, program: Any, variables: dict[str, Any], declarations: str) -> str:
    """Return how a step's results differ in shape, format, layout or memory from the program's declaration."""
    scope: dict[str, Any] = {**vars(program), "device": None, "put": keep_declaration}
    exec(declarations, scope)
    found: list[str] = []
    for name, want in scope.items():
        got = variables.get(name) if isinstance(want, program.Tensor) else None
        if got is not None and ttnn.is_tensor_storage_on_device(got):
            there = (list(got.shape), got.dtype, got.layout, got.memory_config())
            found += [f"{a}, not {b}" for a, b in zip(there, want[: len(there)], strict=True) if a != b]
    return "; ".join(found)


def keep_declaration(device: Any, tensor: Any) -> Any:  # noqa: ARG001 called as the program's own `put` is
    """Return the tensor, in place of a function that transfers it."""
    return tensor


def run_whole(program: Any, device: Any) -> str:
    """Return the error of the unchanged program; empty if it ran completely."""
    try:
        tensors = put_inputs(program, device)
        program.prepare(device, tensors)
        program.forward(device, tensors)
    except Exception as error:
        return str(error) or repr(error)
    return ""


def close(ttnn: Any, program: Any, device: Any) -> None:
    """Close the device."""
    if program.MESH == (1, 1):
        ttnn.close_device(device)
    else:
        ttnn.close_mesh_device(device)
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


if __name__ == "__main__":
    main()
