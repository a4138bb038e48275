"""A YAML file as plain values, with the line of every one of them."""

from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from ttstack.support.validation import NO_VALUE
from ttstack.support.yaml_text import problem_of
from ttstack.system_desc.faults import Fault, Mark, Path, error_of

_MAX_NODES = 50_000
_NATIVE: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's loader in C, if available: ten times faster, but not safe for untrusted text."""


@dataclass
class Document:
    """The values of a YAML file, their positions, read errors, and the chips without a base."""

    file: str
    value: Any = None
    marks: dict[Path, Mark] = field(default_factory=dict[Path, Mark])
    faults: list[Fault] = field(default_factory=list[Fault])
    unresolved: set[Path] = field(default_factory=set[Path])


def parse(text: str, file: str, *, ours: bool = False) -> Document:
    """Parse a document; `ours` is true for files of this package.

    Raises:
        SystemDescError: it is not YAML.
    """
    document = Document(file)
    loader: yaml.SafeLoader | None = None
    try:
        loader = _NATIVE(text) if ours else yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise error_of([Fault("the file is empty", Mark(file, 1))], file)
        document.value = _NodeReader(loader, document).value(node, ())
    except yaml.MarkedYAMLError as error:
        raise error_of([Fault(f"not YAML: {problem_of(error)}", _mark(file, error.problem_mark))], file) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        raise error_of([Fault(f"not YAML: {error.reason}", Mark(file, line))], file) from error
    except RecursionError as error:
        raise error_of([Fault("nested too deeply", Mark(file, 1))], file) from error
    finally:
        if loader is not None:
            loader.dispose()  # pyright: ignore[reportUnknownMemberType]
    return document


def _name(key: yaml.ScalarNode) -> str:
    """Return a key as text; half characters, which YAML can spell, are question marks."""
    return str(key.value).encode(errors="replace").decode()


def _mark(file: str, mark: yaml.Mark | None) -> Mark:
    return Mark(file, 1 if mark is None else mark.line + 1)


class _NodeReader:
    """Converts nodes to values and records their positions."""

    def __init__(self, loader: yaml.SafeLoader, document: Document) -> None:
        self._loader = loader
        self._document = document
        self._budget = _MAX_NODES

    def value(self, node: yaml.Node, path: Path) -> Any:
        """Return the plain value of `node`, which is at `path`."""
        mark = _mark(self._document.file, node.start_mark)
        self._document.marks.setdefault(path, mark)
        self._budget -= 1
        if self._budget < 0:
            raise error_of([Fault(f"more than {_MAX_NODES} values", mark, path)], self._document.file)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path, mark)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            mark = _mark(self._document.file, key_node.start_mark)
            key = _name(key_node) if isinstance(key_node, yaml.ScalarNode) else "?"
            if key in values:
                first = self._document.marks[(*path, key)].line
                self._document.faults.append(Fault(f"occurs twice, first in line {first}", mark, (*path, key)))
                continue
            self._document.marks[(*path, key)] = mark
            values[key] = self.value(value_node, (*path, key))
        return values

    def _scalar(self, node: yaml.Node, path: Path, mark: Mark) -> object:
        try:
            value = cast(object, self._loader.construct_object(node))  # pyright: ignore[reportUnknownMemberType]
            if isinstance(value, str):
                value.encode()  # YAML can spell half a character
            return value
        except NO_VALUE as error:
            self._document.faults.append(Fault(f"no value: {error}", mark, path))
            return None
