"""What `--json` prints: a table of fields for each kind of object, from the types that the product declares."""

from collections.abc import Iterator, Mapping
from types import GenericAlias
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from ttstack.cli.printed import EXTENDED, PRINTED
from ttstack_docs.markdown import literal, table

_DESCRIBED = ConfigDict(use_attribute_docstrings=True)
_NAMES = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false", "null": "null"}


def json_pages() -> str:
    """What each command prints, then a section for each kind of object."""
    rows: list[tuple[str, str]] = []
    kinds: dict[str, Any] = {}
    for words, printed in PRINTED.items():
        schema = _schema(printed)
        kinds |= schema.get("$defs", {})
        rows.append((literal(f"ttstack {words}"), spell(schema["items"])))
    return "\n\n".join([table(("command", "what it prints"), rows), *_sections(kinds)])


def _schema(printed: Any) -> dict[str, Any]:
    several: Any = GenericAlias(list, (printed,))
    return TypeAdapter(several, config=_DESCRIBED).json_schema()


def _sections(kinds: Mapping[str, Any]) -> Iterator[str]:
    """A heading, a sentence and a table for each kind; fields of what it extends are described there."""
    for name, kind in sorted(kinds.items()):
        base = EXTENDED.get(name)
        inherited = _schema(base)["$defs"][base.__name__]["properties"] if base else {}
        required = kind.get("required", ())
        rows: list[tuple[str, str, str]] = []
        for field, what in kind["properties"].items():
            value = spell(what) if field in required else f"{spell(what)}, or left out"
            description = what.get("description") or inherited.get(field, {}).get("description", "")
            rows.append((literal(field), value, description))
        yield f"## {name}"
        if "description" in kind:
            yield kind["description"]
        yield table(("field", "value", "what it is"), rows)


def spell(kind: Mapping[str, Any]) -> str:
    """A value in words, with a link to the section of an object."""
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in kind:
        return " or ".join(map(spell, kind["anyOf"]))
    match kind.get("type"):
        case "array":
            return f"list of {spell(kind['items'])}" if "items" in kind else "list"
        case "object":
            held = kind.get("additionalProperties")
            return f"object, by name: {spell(held)}" if isinstance(held, Mapping) else "object"
        case None:
            return "any"
        case known:
            return _NAMES[known]
