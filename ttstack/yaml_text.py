"""Values that users write in YAML, in files and on command lines."""

from typing import Any

import yaml

from ttstack.validation import NO_VALUE

_MOST_REPEATED = 100
"""How many times more values than a text has its aliases may stand for."""


def read_yaml(text: str) -> Any:
    """The value of a text; None where it is empty.

    Raises:
        ValueError: it is no YAML, is nested too deeply, or its aliases stand for more values than anyone writes.
    """
    try:
        return _read(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except (yaml.YAMLError, *NO_VALUE) as error:
        raise ValueError(str(error)) from error


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
