"""Parts of a module's text as `print_module` writes it: its functions, and the ops of a name or a location."""

import re
from collections.abc import Iterator
from difflib import unified_diff

_FUNCTION = re.compile(r"^(?=  func\.func )", re.MULTILINE)
_NAME = re.compile(r"@([\w.$-]+)")
_ALIAS = re.compile(r"^(#\w+) = (.*)$", re.MULTILINE)
_CONTEXT = 2
"""Lines of a diff before and after what changed."""
_USED = re.compile(r"#\w+")
_OP = re.compile(r'"?(?:ttir|ttnn|stablehlo|tosa)\.(\w+)"?\(|\bsource = "(\w+)"')


def function_texts(text: str) -> dict[str, str]:
    """Return the text of a module for each function alone, by name; all in one if functions call each other."""
    head, *parts = _FUNCTION.split(text)
    names = [found[1] if (found := _NAME.search(part)) else str(i) for i, part in enumerate(parts)]
    if len(parts) < 2 or "call @" in text or "func.call" in text:
        return {names[0] if len(names) == 1 else "": text}
    *parts, last = parts
    end = re.search(r"^  \}.*\n", last, re.MULTILINE)
    tail = last[end.end() :] if end else ""
    bodies = [*parts, last[: end.end()] if end else last]
    return {name: _used_aliases(head + body + tail) for name, body in zip(names, bodies, strict=True)}


def ops_of(text: str, wanted: str) -> str:
    """Return the ops of a text whose mnemonic is the wanted one, or whose location contains it, by function."""
    found: list[str] = []
    aliases = dict(_ALIAS.findall(text))
    for part in _FUNCTION.split(text)[1:]:
        header, _, rest = part.partition("\n")
        ops = [op for op in _statements(rest) if _is_wanted(op, wanted, aliases)]
        found += [header, *ops] if ops else []
    return "\n".join(found)


def without_trailer(text: str) -> str:
    """Return the text of a module without its long attributes and large constants."""
    return text.partition("\n{-#")[0]


def diff_texts(before: str, after: str, name: str = "") -> list[str]:
    """Return a unified diff of two texts without their ends; `name` is that of the second."""
    old, new = (without_trailer(text).splitlines() for text in (before, after))
    return list(unified_diff(old, new, "before", name, n=_CONTEXT, lineterm=""))


def _statements(text: str) -> Iterator[str]:
    """The ops of a function's body, each with its regions."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("    ") and line[4:5] not in (" ", "}", "^"):
            yield from ["\n".join(lines)] if lines else []
            lines = [line]
        elif not line.startswith("    "):
            break
        else:
            lines.append(line)
    if lines:
        yield "\n".join(lines)


def _is_wanted(op: str, wanted: str, aliases: dict[str, str]) -> bool:
    named = {name for found in _OP.findall(op) for name in found if name}
    locations = [aliases.get(name, "") for name in re.findall(r"loc\((#\w+)\)", op)]
    return wanted.rpartition(".")[2] in named or any(
        wanted in place for place in (op.rpartition(" loc(")[2], *locations)
    )


def _used_aliases(text: str) -> str:
    """Leave out the definitions of aliases that nothing uses."""
    while unused := {name for name, _ in _ALIAS.findall(text)} - _uses(text):
        text = _ALIAS.sub(lambda found: "\0" if found[1] in unused else found[0], text).replace("\0\n", "")
    return text


def _uses(text: str) -> set[str]:
    return {name for line in text.splitlines() for name in _USED.findall(_ALIAS.sub(r"\2", line))}
