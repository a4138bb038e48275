"""The Python API as Markdown, from signatures and docstrings."""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from ttstack.options.choices import CHOICES
from ttstack_docs.markdown import code, literal, table

_SECTION = re.compile(r"^(Args|Raises|Returns|Yields):$", re.MULTILINE)
_HEADINGS = {"Args": "Arguments", "Raises": "Errors", "Returns": "Returns", "Yields": "Yields"}
_ENTRY = re.compile(r"^(\**[\w.]+): ", re.MULTILINE)


def api(path: str, *without: str) -> str:
    """A function or a class by its dotted path, with its members but those that are named."""
    module, _, name = path.rpartition(".")
    thing = getattr(importlib.import_module(module), name)
    return "\n\n".join(_class(path, thing, without) if inspect.isclass(thing) else _function(path, thing))


def _function(path: str, function: Any) -> Iterator[str]:
    yield f"### `{path}`"
    yield code(_signature(path.rpartition(".")[2], function), "py")
    yield from _described(inspect.getdoc(function) or "")


def _class(path: str, cls: type[Any], without: tuple[str, ...]) -> Iterator[str]:
    yield f"### `{path}`"
    yield from _described(inspect.getdoc(cls) or "")
    documented = {name: text for base in reversed(cls.__mro__) for name, text in _fields(base)}
    fields = {name: text for name, text in documented.items() if name not in without}
    properties = [(name, member) for name, member in _members(cls, without) if not inspect.isfunction(member)]
    rows = [(literal(name), text) for name, text in fields.items()]
    rows += [(literal(name), " ".join(_doc_of(member).split())) for name, member in properties if name not in fields]
    if rows:
        yield table(("field", "what it is"), rows)
    for name, member in _members(cls, without):
        if inspect.isfunction(member):
            yield f"#### `{path.rpartition('.')[2]}.{name}`"
            yield code(_signature(name, member), "py")
            yield from _described(inspect.getdoc(member) or "")


def _doc_of(member: Any) -> str:
    return inspect.getdoc(getattr(member, "fget", None) or getattr(member, "func", None) or member) or ""


def _members(cls: type[Any], without: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Public methods, properties and `__call__` of our own classes, in the order of the source."""
    seen: set[str] = set()
    for base in cls.__mro__:
        for name, member in list(vars(base).items()) if base.__module__.startswith("ttstack") else ():
            public = not name.startswith("_") or name == "__call__"
            kinds = inspect.isfunction(member) or hasattr(member, "fget") or type(member).__name__ == "cached_property"
            if public and kinds and name not in seen and name not in without and _doc_of(member):
                seen.add(name)
                yield name, member


def _fields(cls: type[Any]) -> Iterator[tuple[str, str]]:
    """Fields of a class, with the text below each."""
    if not cls.__module__.startswith("ttstack") or not (is_dataclass(cls) or hasattr(cls, "model_fields")):
        return
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, below in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.target.id[0] != "_":
            said = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
            yield field.target.id, " ".join(str(said).split()) or literal(ast.unparse(field.annotation).strip("'\""))


def _signature(name: str, function: Any) -> str:
    """Name and parameters, one a line where they are many; the options of a compilation as `**options`."""
    shown: list[str] = []
    keywords = spelled = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in CHOICES and function.__name__.startswith("compile"):
            spelled = True
        elif parameter.name != "self":
            keywords |= parameter.kind is parameter.VAR_POSITIONAL
            if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
                shown.append("*")
                keywords = True
            shown.append(_parameter(parameter))
    shown += ["**options"] if spelled else []
    line = f"{name}({', '.join(shown)})"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {text},\n" for text in shown) + ")"


def _parameter(parameter: inspect.Parameter) -> str:
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    value = parameter.default
    default = "" if value is parameter.empty else f"={_spell(value)}"
    return f"{star}{parameter.name}{default}"


def _spell(value: object) -> str:
    return getattr(value, "__name__", None) or (f'"{value}"' if isinstance(value, str) else repr(value))


def _described(doc: str) -> Iterator[str]:
    """A docstring: its prose, and its sections as lists."""
    prose, *sections = _SECTION.split(doc)
    if prose.strip():
        yield prose.strip()
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        _, *entries = _ENTRY.split(textwrap.dedent(text).strip("\n"))
        pairs = zip(entries[::2], entries[1::2], strict=True)
        items = "\n".join(f"- {literal(name)}: {' '.join(said.split())}" for name, said in pairs)
        yield f"{_HEADINGS[title]}:\n\n{items}" if items else f"{_HEADINGS[title]}: {' '.join(text.split())}"
