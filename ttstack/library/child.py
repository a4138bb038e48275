"""Runs programs on a mock device, in an interpreter that has `ttnn`; knows nothing of ttstack.

    python child.py REQUEST.json RESULTS.jsonl

The results are a line for the version of `ttnn`, then one for each program as soon as it ran; all of them run on the
device that the first one opens. Every step of a program is executed by itself, so that one which is refused does not
hide the others: its results are then made empty. At first nothing is allocated, which lists all buffers; then tensors
get addresses, which shows what does not fit; and then the program runs as it stands.
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
"""What is called what by the library."""


def main() -> None:
    """Read the request, run, and write what happened."""
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
    """All programs on one device."""
    first = load(programs[0]["path"])
    device = first.open_device()
    device.disable_and_clear_program_cache()
    try:
        for asked in programs:
            write(results, run(ttnn, load(asked["path"]), device, asked["steps"]))
    finally:
        close(ttnn, first, device)


def run(ttnn: Any, program: Any, device: Any, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """What the library makes of each step, and of the whole."""
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
    """A line, which is there even if the next program ends the process."""
    results.write(json.dumps(found) + "\n")
    results.flush()


def load(path: str) -> Any:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("checked_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put_inputs(program: Any, device: Any) -> dict[str, Any]:
    """All inputs and weights, without values."""
    tensors = {**program.WEIGHTS, **program.INPUTS}
    return {name: program.put(device, tensor) for name, tensor in tensors.items()}


def run_steps(ttnn: Any, program: Any, device: Any, steps: list[dict[str, Any]], mode: Any) -> dict[str, Any]:
    """The captured graph, in which a marker begins each step, what was said to refused ones, and what others gave."""
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
    """Bring weights into the form that steps read, as the program does before its first pass; what failed, by step."""
    failed: dict[int, Exception] = {}
    for number, step in enumerate(steps):
        try:
            exec(step["prepared"], variables)
        except Exception as error:
            failed[number] = error
    return failed


def otherwise(ttnn: Any, program: Any, variables: dict[str, Any], declarations: str) -> str:
    """How results on the device have another shape, format, layout or memory than the program declares."""
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
    """What takes the place of a tensor where only its declaration is asked for."""
    return tensor


def run_whole(program: Any, device: Any) -> str:
    """What was said to the program as it stands; nothing where it ran to its end."""
    try:
        tensors = put_inputs(program, device)
        program.prepare(device, tensors)
        program.forward(device, tensors)
    except Exception as error:
        return str(error) or repr(error)
    return ""


def close(ttnn: Any, program: Any, device: Any) -> None:
    """Give the device back."""
    if program.MESH == (1, 1):
        ttnn.close_device(device)
    else:
        ttnn.close_mesh_device(device)
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


if __name__ == "__main__":
    main()
