"""Aliases of layouts, maps and locations in a module's text, named by their content.

The name of an alias does not depend on what else the module has, so that two texts differ only where modules do.
"""

import re
from collections.abc import Callable, Iterable

from ttstack.dialects.text.trailer import content_hash
from ttstack.support.free_name import free_name

_STRING = r'"(?:[^"\\]|\\.)*"'
_LAYOUT = re.compile(r"#tt\.layout<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
_DEFINITION = re.compile(r"^(#(?:map|loc)\d*) = (.*)$", re.MULTILINE)
_USE = re.compile(rf"{_STRING}|#(?:map|loc)\d*\b(?! =)|^#(?:map|loc)\d*(?= =)", re.MULTILINE)
_PARTS = re.compile(
    r"#tt\.grid<\[(?P<rows>\d+), (?P<cols>\d+)\]>, \[(?P<shard>[\d, ]*)\], (?P<element>!tt\.tile<[^>]*>|\w+), "
    r'#tt\.memory_space<"(?P<space>\w+)">, #tt\.memory_layout<"(?P<kind>\w+)">'
)
_LONGEST = 48


def with_aliases(text: str) -> str:
    """Define an alias for each layout, and name the aliases of maps and locations by their content."""
    return _with_layouts(_rename(text))


def _with_layouts(text: str) -> str:
    names = _unique(dict.fromkeys(_LAYOUT.findall(text)), _layout_name)
    if not names:
        return text
    body = _LAYOUT.sub(lambda found: f"#{names[found[0]]}", text)
    definitions = "".join(f"#{name} = {layout}\n" for layout, name in names.items())
    first = body.index("module")
    return body[:first] + definitions + body[first:]


def _layout_name(layout: str) -> str:
    """Such as `l1_height_sharded_8x1_2x4_bf16`; tiles are not named, row-major pages are."""
    parts = _PARTS.search(layout)
    if parts is None:
        return f"layout_{content_hash(layout)}"
    element, kind = parts["element"], parts["kind"]
    tiled = element.startswith("!tt.tile")
    words = [parts["space"]]
    if kind != "interleaved":
        words += [kind, f"{parts['rows']}x{parts['cols']}"]
    words += [parts["shard"].replace(", ", "x") or "scalar"]
    words += [element.rpartition(", ")[2].rstrip(">").removeprefix("!tt.") if tiled else f"{element}_row_major"]
    return "_".join(words)


def _rename(text: str) -> str:
    definitions = dict(_DEFINITION.findall(text))
    names = _unique(definitions, lambda alias: _alias_name(alias, definitions[alias]))
    return _USE.sub(lambda found: f"#{names[found[0]]}" if found[0] in names else found[0], text)


def _alias_name(alias: str, content: str) -> str:
    if alias.startswith("#map"):
        arguments, _, results = content.removeprefix("affine_map<").rstrip(">").partition(" -> ")
        return f"map{arguments.count('d')}_{_word(results) or 'scalar'}"
    strings = re.findall(_STRING, content)
    place = re.search(r":(\d+):(\d+)\)*$", content)
    if not strings:
        return f"loc_{_word(content.removeprefix('loc')) or 'unknown'}"
    name = strings[0].strip('"').rpartition("/")[2]
    return "_".join(["loc", _word(name), *(place.groups() if place and len(strings) == 1 else ())])


def _word(text: str) -> str:
    """Return the letters and digits of a text with underscores between; a long text is cut, and a hash added."""
    word = "_".join(re.findall(r"\w+", text))
    return word if len(word) <= _LONGEST else f"{word[: _LONGEST - 9]}_{content_hash(text)}"


def _unique(keys: Iterable[str], name: Callable[[str], str]) -> dict[str, str]:
    """Return a name for each key; of keys with one name, all but the first have a number after it."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in keys:
        names[key] = free_name(name(key), taken, "_v")
        taken.add(names[key])
    return names
