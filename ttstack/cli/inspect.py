"""`ttstack inspect`: the content of a program."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write, write_json
from ttstack.cli.shared_options import EveryOpOption, Format, FunctionName, JsonOption, ProgramFile

if TYPE_CHECKING:
    from ttstack.program.records import Function


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
        Section, typer.Option("--section", metavar="PART", help=f"Part to print: {', '.join(Section)}.")
    ] = Section.SUMMARY,
    overrides: Annotated[
        Path | None,
        typer.Option(
            "--overrides", metavar="FILE", help="Write the placement as YAML for `ttstack compile --overrides`."
        ),
    ] = None,
    function: FunctionName = None,
    every_op: EveryOpOption = False,
    as_json: JsonOption = False,
    output_format: Annotated[Format, typer.Option("--format", metavar="FORMAT", help="table or json.")] = Format.TABLE,
) -> None:
    """Print the parts of a program: device, ops, tensors, memory, IR."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's starts its threads at import: nothing is multiplied
    from ttstack.cli.render import show
    from ttstack.cli.sections import ABSENT, SECTIONS, only, ops_once, titles
    from ttstack.flatbuffer import load
    from ttstack.program.named_functions import program_function
    from ttstack.system_desc import dump

    tables = not as_json and output_format is Format.TABLE
    if overrides is not None and not (tables and section is Section.SUMMARY):
        raise typer.BadParameter("--overrides writes a file and prints nothing: leave out --section and --json")
    binary = load(file)
    if overrides is not None:
        _write_overrides(program_function(binary, function), overrides, file)
        return
    if function is not None:
        binary = only(binary, program_function(binary, function))
    once = tables and section is Section.OPS and not every_op
    found = ops_once(binary) if once else SECTIONS[section.value](binary)
    if not tables:
        write_json(found)
    elif section is Section.SYSTEM_DESC:
        write(dump(binary.system_desc))
    elif not found and section in ABSENT:
        write(ABSENT[section])
    else:
        if section is Section.SUMMARY:
            write("\n".join(titles(binary)))
        show(stdout(), found)


def _write_overrides(function: "Function", target: Path, source: Path) -> None:
    from ttstack.cli.outputs import check_targets
    from ttstack.placement.graph_from_program import overrides_of
    from ttstack.support.files import write_whole

    check_targets(target, sources=(source,))
    write_whole(target, overrides_of(function).text())
