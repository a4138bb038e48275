"""YAML values from users, in files and on command lines."""

import re
from typing import Any

import yaml

from ttstack.support.validation import NO_VALUE

_MOST_REPEATED = 100
"""Maximum factor by which aliases may multiply the values of a text."""

_NOT_YAML = re.compile(f"\t|{yaml.reader.Reader.NON_PRINTABLE.pattern}")


def read_yaml(text: str) -> Any:
    """Return the value of a text; None if it is empty.

    Raises:
        ValueError: it is not YAML, is nested too deeply, or its aliases stand for too many values.
    """
    try:
        return _read(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        where = "" if error.problem_mark is None else f"line {error.problem_mark.line + 1}: "
        raise ValueError(f"{where}{problem_of(error)}") from error
    except (yaml.YAMLError, *NO_VALUE) as error:
        raise ValueError(str(error)) from error


def problem_of(error: yaml.MarkedYAMLError) -> str:
    """Return the error in a text, in one line."""
    return " ".join(part for part in (error.context, error.problem) if part)


def line_of(text: str, path: str) -> int:
    """Return the line, from 1, of the value at a dotted path in valid YAML or JSON.

    For a missing value, it is the line of its parent. Names in the path may contain dots.
    """
    plain = _NOT_YAML.sub(" ", text)  # JSON has tabs and control characters where YAML has none
    node: yaml.Node | None = yaml.SafeLoader(plain).get_single_node()
    line = 1 if node is None else _line(node)
    while node is not None and path:
        name, mark, node = _entry(node, path)
        line = line if mark is None else _line(mark)
        path = path[len(name) + 1 :]
    return line


def _line(node: yaml.Node) -> int:
    mark: yaml.Mark = node.start_mark
    return mark.line + 1


def _entry(node: yaml.Node, path: str) -> tuple[str, yaml.Node | None, yaml.Node | None]:
    """Return the longest matching name or number at the start of `path`, its node, and its value's node."""
    found: list[tuple[str, yaml.Node, yaml.Node]] = []
    if isinstance(node, yaml.SequenceNode):
        items: list[yaml.Node] = node.value
        found = [(str(at), item, item) for at, item in enumerate(items)]
    elif isinstance(node, yaml.MappingNode):
        pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
        found = [(str(key.value), key, value) for key, value in pairs]
    fitting = [entry for entry in found if f"{path}.".startswith(f"{entry[0]}.")]
    return max(fitting, key=lambda entry: len(entry[0]), default=("", None, None))


def _read(text: str) -> Any:
    loader: Any = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        sizes = dict[int, int]()
        if node is not None and _size(node, sizes) > _MOST_REPEATED * len(sizes):
            raise ValueError(f"its {len(sizes):,} values are repeated to {sizes[id(node)]:,}")
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return the number of values of a node, with aliases expanded."""
    if id(node) not in sizes:
        sizes[id(node)] = 1 + sum(_size(part, sizes) for part in _parts(node))
    return sizes[id(node)]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
