"""`ttstack inspect`: what is in a program."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write, write_json
from ttstack.cli.options import Format, FunctionName, JsonOption, ProgramFile

if TYPE_CHECKING:
    from ttstack.program.records import Binary, Function


class Section(StrEnum):
    """Parts of a program."""

    SUMMARY = "summary"
    SYSTEM_DESC = "system-desc"
    OPS = "ops"
    TENSORS = "tensors"
    MEMORY = "memory"
    TRAINING = "training"
    WEIGHTS = "weights"
    IR = "ir"


def inspect_program(
    file: ProgramFile,
    section: Annotated[
        Section, typer.Option("--section", metavar="PART", help=f"Which part: {', '.join(Section)}.")
    ] = Section.SUMMARY,
    overrides: Annotated[
        Path | None,
        typer.Option("--overrides", metavar="FILE", help="Write the placement, as YAML that 'compile' takes."),
    ] = None,
    function: FunctionName = None,
    as_json: JsonOption = False,
    output_format: Annotated[Format, typer.Option("--format", help="As tables, or as JSON.")] = Format.TABLE,
) -> None:
    """Show what is in a program."""
    from ttstack.cli.render import show
    from ttstack.cli.sections import SECTIONS
    from ttstack.flatbuffer import load
    from ttstack.program.named_functions import named_function
    from ttstack.system_desc import dump

    binary = load(file)
    if overrides is not None:
        _write_overrides(named_function(binary.functions, function), overrides, file)
        return
    if function is not None:
        binary = _only(binary, named_function(binary.functions, function))
    if as_json or output_format is Format.JSON:
        write_json(SECTIONS[section.value](binary))
    elif section is Section.SYSTEM_DESC:
        write(dump(binary.system_desc))
    else:
        show(stdout(), SECTIONS[section.value](binary))


def _only(binary: "Binary", function: "Function") -> "Binary":
    """The program with one function, and the weights that it takes."""
    from dataclasses import replace

    weights = {function.tensors[i].name for i in function.inputs} & binary.weights.keys()
    return replace(binary, functions=(function,), weights={n: w for n, w in binary.weights.items() if n in weights})


def _write_overrides(function: "Function", target: Path, source: Path) -> None:
    from ttstack.cli.outputs import check_targets
    from ttstack.files import write_whole
    from ttstack.placement.graph_from_program import overrides_of

    check_targets(target, sources=(source,))
    write_whole(target, overrides_of(function).text())
