"""IR and reports of the models that the documentation shows, made by the product when the pages are built."""

import io
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from ttstack.cli.report import next_commands
from ttstack.compiled_program import Program
from ttstack.program.records import Binary
from ttstack.report.report import Report
from ttstack.report.screen import screen
from ttstack_docs.markdown import code

_WIDTH = 100
_BREAKS = re.compile(r", (?=%arg\d+: |tt\.|indexing_maps|iterator_types)| (?=: \(|-> )")

ROOT = Path(__file__).parents[3]
EXAMPLE = "mlp"
"""The model in `docs/` whose IR is shown where no other is named."""

_SYSTEM_DESC = re.compile(r" attributes \{tt\.system_desc = @\S+\} \{$", re.MULTILINE)


def ir_after(name: str, model: str = EXAMPLE) -> str:
    """A model's module after a pass, or `input`, without its device."""
    return code(shortened(_SYSTEM_DESC.sub(" {", stage(name, model))))


@cache
def stage(name: str, model: str = EXAMPLE) -> str:
    """A model's module after a pass, without locations."""
    return without_locations(stages(model)[name])


def without_locations(text: str) -> str:
    """The same module."""
    from ttstack.dialects.context import new_context
    from ttstack.dialects.text import print_module
    from ttstack.frontends.resources import cut, inline_resources
    from ttstack.frontends.text import parse

    with new_context():
        return print_module(parse(inline_resources(*cut(text))))


@cache
def stages(model: str = EXAMPLE) -> dict[str, str]:
    """The module of a model in `docs/`, with locations, by the name of the pass that made it."""
    from ttstack.compiler import compile_module
    from ttstack.frontends.source import import_model
    from ttstack.options.model import CompileOptions

    with TemporaryDirectory() as folder, import_model(ROOT / "docs" / f"{model}.mlir") as found:
        compile_module(found.module, CompileOptions(), weights={}, dump_ir=Path(folder))
        return {path.stem[4:]: path.read_text() for path in sorted(Path(folder).glob("*.mlir"))}


def shortened(text: str) -> str:
    """The module without long lines; it parses to the same."""
    return "\n".join(map(_broken, text.splitlines()))


def _broken(line: str) -> str:
    if len(line) <= _WIDTH or line.startswith("#"):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return _BREAKS.sub(lambda m: f"{m[0].rstrip()}\n{indent}", line)


@cache
def example_program(model: str) -> Program:
    """Return a model in `examples/`, compiled for the default device; the paths in it are those that a user sees."""
    source = (ROOT / "examples" / f"{model}.mlir").read_text()
    return Program(binary_of(source, f"examples/{model}.mlir"))


def report(model: str) -> Report:
    """Return the report of a model in `examples/`, for the default device."""
    return example_program(model).cost()


def report_of(source: str, name: str, *, without: Sequence[str] = (), dump_ir: Path | None = None) -> Report:
    """Return the report of a source for the default device, compiled without some passes, with its IR in a folder."""
    return Program(binary_of(source, name, without=without, dump_ir=dump_ir)).cost()


def binary_of(source: str, name: str, *, without: Sequence[str] = (), dump_ir: Path | None = None) -> Binary:
    """Compile a source for the default device without some passes, with its IR in a folder."""
    from ttstack.compiler import compile_module
    from ttstack.dialects.context import new_context
    from ttstack.frontends.text import parse
    from ttstack.mlir import ir
    from ttstack.options.model import CompileOptions

    options = CompileOptions(without=tuple(without)).for_source(name)
    with new_context(), ir.Location.unknown():
        return compile_module(parse(source, name), options, weights={}, dump_ir=dump_ir).binary


def report_text(model: str, width: int) -> str:
    """Return what `ttstack perf` prints for a model in `examples/`."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    program = example_program(model)
    found = program.cost()
    for part in screen(found, width, list(next_commands(program, found, Path(f"{model}.ttb")))):
        console.print(part)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def report_table(model: str, width: str) -> str:
    """The same as a block of code."""
    return code(report_text(model, int(width)))
