"""`ttstack emit`: a program as Python that calls `ttnn`."""

from pathlib import Path
from typing import Annotated

import typer

from ttstack.cli.console import write_json, write_line
from ttstack.cli.shared_options import FunctionName, JsonOption, ProgramFile


def emit_program(
    file: ProgramFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Python file to write; weights go to .safetensors next to it."
        ),
    ],
    trace: Annotated[
        bool, typer.Option("--trace", help="Record the commands of one run as a trace, and replay it.")
    ] = False,
    two_queues: Annotated[
        bool, typer.Option("--two-queues", help="Write inputs through a second command queue during a run.")
    ] = False,
    function: FunctionName = None,
    as_json: JsonOption = False,
) -> None:
    """Write a program as a Python file that calls ttnn on a card."""
    from ttstack.api import load
    from ttstack.cli.outputs import check_ending, check_targets
    from ttstack.ttnn_python import write_python

    check_targets(output, sources=(file,))
    check_ending(output, ".py", "a Python file")
    check_targets(weights := output.with_suffix(".safetensors"))
    program = load(file)
    found = program.function(function)
    write_python(program.binary, found, file.stem, output, weights, trace=trace, two_queues=two_queues)
    beside = weights if weights.exists() else None
    if as_json:
        write_json({"file": str(output), "weights": str(beside) if beside else None})
    else:
        write_line(f"{output}: calls of ttnn" + (f", with weights in {beside}" if beside else ""))
