"""`ttstack inspect`: what is in a program."""

from enum import StrEnum
from typing import Annotated

import typer

from ttstack.cli.console import stdout, write, write_json
from ttstack.cli.options import Format, ProgramFile


class Section(StrEnum):
    """Parts of a program."""

    SUMMARY = "summary"
    SYSTEM_DESC = "system-desc"
    OPS = "ops"
    TENSORS = "tensors"
    MEMORY = "memory"
    WEIGHTS = "weights"
    IR = "ir"


def inspect_program(
    file: ProgramFile,
    section: Annotated[Section, typer.Option("--section", help="Which part.")] = Section.SUMMARY,
    output_format: Annotated[Format, typer.Option("--format", help="As tables, or as JSON.")] = Format.TABLE,
) -> None:
    """Show what is in a program."""
    from ttstack.cli.sections import SECTIONS
    from ttstack.cli.show import show
    from ttstack.flatbuffer import load
    from ttstack.system_desc import dump

    binary = load(file)
    if output_format is Format.JSON:
        write_json(SECTIONS[section.value](binary))
    elif section is Section.SYSTEM_DESC:
        write(dump(binary.system_desc))
    else:
        show(stdout(), SECTIONS[section.value](binary))
