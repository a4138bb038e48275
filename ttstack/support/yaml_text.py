"""Values that users write in YAML, in files and on command lines."""

import re
from typing import Any

import yaml

from ttstack.support.validation import NO_VALUE

_MOST_REPEATED = 100
"""How many times more values than a text has its aliases may stand for."""

_NOT_YAML = re.compile(f"\t|{yaml.reader.Reader.NON_PRINTABLE.pattern}")


def read_yaml(text: str) -> Any:
    """The value of a text; None where it is empty.

    Raises:
        ValueError: it is no YAML, is nested too deeply, or its aliases stand for more values than anyone writes.
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
    """What is wrong with a text, in one line."""
    return " ".join(part for part in (error.context, error.problem) if part)


def line_of(text: str, path: str) -> int:
    """The line, from 1, of the value that a dotted path leads to in a text of YAML or JSON that can be read.

    Of a value that is not there, the line of what should hold it. Names on the path may have dots themselves.
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
    """What a path goes on with: the longest name in a mapping or the number in a sequence, its node, the value's."""
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
    """How many values a node stands for, where aliases count as what they repeat."""
    if id(node) not in sizes:
        sizes[id(node)] = 1 + sum(_size(part, sizes) for part in _parts(node))
    return sizes[id(node)]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
