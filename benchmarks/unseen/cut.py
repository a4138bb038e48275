"""Depth cut to two equal blocks, in a configuration before a network is built, or in its modules afterwards."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from torch import nn

MOST = 2
_DEPTHS = re.compile(r"(^|_)(n_?layers?|depths?|layers?|blocks?|layers_per_block)$")
_NOT_DEPTHS = re.compile(r"(feature|select|start|first|skip|share\w*|interval|every\w*)_(layers?|blocks?)$")


def cut_configuration(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a configuration with at most two layers or blocks, or two in each stage.

    Counts are at most 2, lists with an item for each layer have one for each of two, and nested configurations are cut
    in the same way. Two layers are of different kinds where a list of names has several.
    """
    depths = {name: value for name, value in fields.items() if _is_depth(name, value)}
    counts = {value for value in depths.values() if isinstance(value, int) and value > MOST}
    cut: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping) and _is_configuration(name):
            cut[name] = cut_configuration(value)
        elif isinstance(value, list | tuple) and len(value) in counts and name not in depths:
            cut[name] = type(value)(_of_layers(value))
        else:
            cut[name] = _at_most(value) if name in depths else value
    return cut


def _is_configuration(name: str) -> bool:
    return name.endswith("config") or name in ("encoder", "decoder")


def _is_depth(name: str, value: Any) -> bool:
    if not _DEPTHS.search(name) or _NOT_DEPTHS.search(name):
        return False
    numbers = value if isinstance(value, list | tuple) else (value,)
    return bool(numbers) and all(_counts(number) for number in numbers)


def _counts(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_counts, value))
    return isinstance(value, int) and not isinstance(value, bool)


def _at_most(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if len(value) > MOST and sorted(set(value)) == list(value):  # indices of layers, not counts
            return type(value)(index for index in value if index < MOST)
        return type(value)(map(_at_most, value))
    return min(value, MOST)


def _of_layers(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    kinds = list(dict.fromkeys(values)) if all(isinstance(value, str) for value in values) else []
    return kinds[:MOST] if len(kinds) >= MOST else list(values[:MOST])


def cut_modules(model: nn.Module) -> None:
    """Keep two of each run of equal modules in a sequence: of blocks that print alike, parameters included."""
    for parent in list(model.modules()):
        if isinstance(parent, nn.Sequential | nn.ModuleList):
            for index in sorted(_extra(parent), reverse=True):
                del parent[index]


def _extra(parent: nn.Sequential | nn.ModuleList) -> list[int]:
    runs = groupby(range(len(parent)), key=lambda index: repr(parent[index]))
    return [index for _, run in runs for index in list(run)[MOST:]]
