"""A section for each optional pass: what it replaces, IR before and after, and the predicted times of both."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ttstack.frontends.resources import cut
from ttstack.passes.base import PASSES, Pass
from ttstack.passes.rewriting.rewrite import Condition, RewritePass
from ttstack_docs.example import ROOT, report_of, without_locations
from ttstack_docs.markdown import code, paragraph

EXAMPLES = ROOT / "docs" / "rewrites"
"""A program for each of them, `NAME.mlir`."""
_WIDTH = 116
_LINES = 22
"""Lines of a module that are shown; the file has all of it."""


@dataclass(frozen=True)
class Shown:
    """What a pass did to its example, and what that is predicted to take on an n150."""

    before: str
    after: str
    us: float
    us_without: float


@cache
def shown(name: str) -> Shown:
    """Compile the example of a pass with and without it.

    Raises:
        ValueError: the pass changes nothing in it.
    """
    path = EXAMPLES / f"{name}.mlir"
    source = path.read_text()
    with TemporaryDirectory() as folder:
        us = report_of(source, path.name, dump_ir=Path(folder)).total_ns / 1e3
        stages = sorted(Path(folder).glob("*.mlir"))
        changed = next((i for i, stage in enumerate(stages) if stage.stem[4:] == name), None)
        if changed is None:
            raise ValueError(f"'{name}' does not change {path}")
        before, after = (_short(without_locations(stages[i].read_text())) for i in (changed - 1, changed))
    return Shown(before, after, us, report_of(source, path.name, without=[name]).total_ns / 1e3)


def rewrite_section(name: str) -> str:
    """What a pass is for, an example, and the time that it saves there."""
    found = shown(name)
    times = (
        f"On an n150 the example takes {found.us:,.1f} µs; with `--without {name}` it takes {found.us_without:,.1f}."
    )
    text = paragraph(PASSES[name]) + _condition(PASSES[name])
    return "\n\n".join((text, code(found.before), "becomes", code(found.after), times))


def _condition(spec: type[Pass]) -> str:
    """Return a sentence about the condition of a rewrite, empty if it always applies."""
    if not issubclass(spec, RewritePass) or spec.condition is Condition.ALWAYS:
        return ""
    return " It applies if predicted to be faster" + (
        "." if spec.condition is Condition.IF_FASTER else ", to values that do not fit L1."
    )


_SHORTER = (
    (re.compile(r"^module .*\n|^}\n?", re.MULTILINE), ""),
    (re.compile(r"^  ", re.MULTILINE), ""),
    (re.compile(r'"(tt\w*\.\w+)"(?=\()'), r"\1"),
    (re.compile(r" : \([^()]*\) -> (?=\S.*$)", re.MULTILINE), " : "),
    (re.compile(r"array<i\d+: ([^>]*)>"), r"[\1]"),
    (re.compile(r"(?<=[\d.]) : (?:[su]?i|f)\d+"), ""),
    (re.compile(r'dense<"0x[0-9A-F]*">|dense_resource<\w*>|dense<\[[^>]{24,}\]>'), "dense<...>"),
    (re.compile(r"(value = dense<[^>]*>) : tensor<[^>]*>"), r"\1"),
    (re.compile(r" : \(\)$", re.MULTILINE), ""),
    (re.compile(r"operandSegmentSizes = \[[^]]*\](, )?|source(_attributes)? = (\{[^}]*\}|\"\w*\")(, )?"), ""),
    (re.compile(r"tt\.argument_type = #tt\.argument_type<\"(\w+)\">"), r"\1"),
    (re.compile(r",? ?ttir\.name = \"[^\"]*\""), ""),
    (re.compile(r", *\}"), "}"),
    (re.compile(r" \{\}"), ""),
)
"""What is left out or shorter on the page, which says so: the files can be compiled as they are."""
_BREAKS = re.compile(r"(?<=,) (?=%|[\w.]+ = |tensor<)|(?<=\)) (?=\{|->)")


def _short(module: str) -> str:
    module, _ = cut(module)
    for pattern, shorter in _SHORTER:
        module = pattern.sub(shorter, module)
    lines = [line for long in module.strip().splitlines() for line in _wrapped(long)]
    if len(lines) <= _LINES:
        return "\n".join(lines)
    return "\n".join([*lines[: _LINES - 4], f"  // {len(lines) - _LINES + 1} lines more", *lines[-3:]])


def _wrapped(line: str) -> list[str]:
    """Broken where lists of operands or attributes allow it."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    lines, rest = list[str](), line
    while len(rest) > _WIDTH:
        at = [m.start() for m in _BREAKS.finditer(rest, len(indent)) if m.start() <= _WIDTH]
        if not at:
            break
        lines.append(rest[: at[-1]])
        rest = indent + rest[at[-1] + 1 :]
    return [*lines, rest]
