"""`ttstack run FILE.mlir`: execute a module of any phase."""

from pathlib import Path
from typing import Any

import typer

from ttstack.cli.console import write_json
from ttstack.options.choices import Numerics

ENDINGS = (".mlir", ".mlirbc")


def run_module_file(
    file: Path,
    weights: Path | None,
    inputs: Path | None,
    seed: int,
    numerics: Numerics,
    output: Path | None,
    golden: str | None,
    min_pcc: float,
    function: str | None,
    *,
    others: bool,
    as_json: bool,
) -> None:
    """Execute a module and print its values; compare them with those of a file if asked.

    Raises:
        BadParameter: options are given that need a program.
        TTStackError: the module cannot be read or executed, or inputs do not fit.
    """
    from ttstack.cli.golden import ComparedRun
    from ttstack.cli.outputs import check_targets, print_paths, together, write_arrays
    from ttstack.cli.values import print_values, summaries
    from ttstack.compiled_run import Run
    from ttstack.diagnostics import InputError
    from ttstack.golden import compare_outputs
    from ttstack.module_run import module_program, run_module
    from ttstack_runtime.executor import find_function
    from ttstack_runtime.inputs import load_inputs
    from ttstack_runtime.inputs.files import read_arrays

    if others:
        raise typer.BadParameter("a module has values only; compile it, and run the .ttb", param_hint="FILE")
    check_targets(output, sources=(file, weights, inputs))
    program = module_program(file, weights, seed)
    found = find_function(program, function)
    given = load_inputs(inputs, found) if inputs else None
    executed = run_module(program, given, seed=seed, numerics=numerics, function=found.name)
    done = Run(executed.outputs, executed.updated, _no_report)
    compared = ComparedRun()
    if golden is not None:
        if Path(golden).suffix.lower() not in (".npz", ".safetensors"):
            raise InputError("a module is compared with values in a file", hint="give --golden FILE.npz")
        compared = ComparedRun(compare_outputs(done, dict(read_arrays(golden, lambda _: None))), (), min_pcc)
    if output is not None:
        write_arrays(output, together(done.outputs, done.updated))
    if as_json:
        values: dict[str, Any] = summaries(done) | compared.values()
        write_json(values)
    else:
        print_values(done, timed=False)
        compared.show()
        print_paths([output] if output else [])
    compared.end()


def _no_report() -> Any:
    raise NotImplementedError
