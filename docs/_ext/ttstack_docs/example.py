"""IR and reports of the models that the documentation shows, made by the product when the pages are built."""

import io
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from ttstack.report.report import Report
from ttstack.report.table import render
from ttstack_docs.markdown import code

_WIDTH = 100
_BREAKS = re.compile(r", (?=%arg\d+: |tt\.|indexing_maps|iterator_types)| (?=: \(|-> )")

ROOT = Path(__file__).parents[3]
EXAMPLE = "mlp"
"""The model in `docs/` whose IR is shown where no other is named."""

_SYSTEM_DESC = re.compile(r" attributes \{tt\.system_desc = .*\} \{$", re.MULTILINE)
_LAYOUT = re.compile(r"#tt\.layout<(?:[^<>]|<(?:[^<>]|<[^<>]*>|->)*>|->)*>")


def ir_after(name: str, model: str = EXAMPLE) -> str:
    """A model's module after a pass, or `input`; layouts are named once, the device's description is left out."""
    return code(shortened(_SYSTEM_DESC.sub(" {", stage(name, model))))


@cache
def stage(name: str, model: str = EXAMPLE) -> str:
    """A model's module after a pass, without locations."""
    from ttstack.dialects.context import new_context
    from ttstack.dialects.text import print_module
    from ttstack.frontends.text import parse

    with new_context():
        return print_module(parse(stages(model)[name]))


@cache
def stages(model: str = EXAMPLE) -> dict[str, str]:
    """The module of a model in `docs/`, with locations, by the name of the pass that made it."""
    from ttstack.compiler import compile_module
    from ttstack.frontends.source import import_model
    from ttstack.options.model import CompileOptions

    with TemporaryDirectory() as folder, import_model(ROOT / "docs" / f"{model}.mlir") as found:
        compile_module(found.module, CompileOptions(), weights={}, dump_ir=Path(folder))
        return {path.stem[4:]: path.read_text() for path in sorted(Path(folder).iterdir())}


def shortened(text: str) -> str:
    """The module with names for layouts and without long lines; it parses to the same."""
    return "\n".join(_broken(line) for line in _with_aliases(text).splitlines())


def _broken(line: str) -> str:
    if len(line) <= _WIDTH or line.startswith("#"):
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return _BREAKS.sub(lambda m: f"{m[0].rstrip()}\n{indent}", line)


def _with_aliases(text: str) -> str:
    layouts = list(dict.fromkeys(_LAYOUT.findall(text)))
    for number, layout in enumerate(layouts):
        text = text.replace(layout, f"#layout{number}")
    first = text.index("module")
    aliases = "".join(f"#layout{number} = {layout}\n" for number, layout in enumerate(layouts))
    return text[:first] + aliases + text[first:]


@cache
def report(model: str) -> Report:
    """The report of a model in `examples/`, for the default device; the paths in it are those that a user sees."""
    source = (ROOT / "examples" / f"{model}.mlir").read_text()
    return _named(source, f"examples/{model}.mlir")


def _named(source: str, name: str) -> Report:
    from ttstack.compiler import compile_module
    from ttstack.dialects.context import new_context
    from ttstack.frontends.text import parse
    from ttstack.mlir import ir
    from ttstack.options.model import CompileOptions
    from ttstack.report.build import build_report

    with new_context(), ir.Location.unknown():
        return build_report(compile_module(parse(source, name), CompileOptions(), weights={}).binary)


def report_text(model: str, width: int) -> str:
    """What `ttstack perf` prints for a model in `examples/`."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    for part in render(report(model), width):
        console.print(part)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def report_table(model: str, width: str) -> str:
    """The same as a block of code."""
    return code(report_text(model, int(width)))
