"""Any program configuration, and its fields by name: as files, reports, IR and overrides have them."""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

from ttstack.device.configs.attention import AttentionConfig
from ttstack.device.configs.matmul import MatmulConfig, MatmulProgram
from ttstack.device.configs.rowwise import RowwiseConfig, Sums
from ttstack.device.configs.window import WindowConfig

ProgramConfig = MatmulConfig | AttentionConfig | RowwiseConfig | WindowConfig
"""The configuration of one kernel; `type` tells the one of matrix products, the names of fields the others."""

E = TypeVar("E", bound=StrEnum)

_UNTYPED = (RowwiseConfig, AttentionConfig, WindowConfig)

CONFIG_FIELDS = tuple(dict.fromkeys(f.name for kind in (MatmulConfig, *_UNTYPED) for f in fields(kind)))
"""Names of all fields, each once."""


def config_fields(config: ProgramConfig | None) -> dict[str, int | str]:
    """The fields that are not None, in the order of their names; none of no configuration."""
    found: dict[str, int | str] = {} if config is None else dict(config.tiles())
    if isinstance(config, MatmulConfig):
        found["type"] = config.type.value
    if isinstance(config, RowwiseConfig) and config.sums:
        found["sums"] = config.sums.value
    return dict(sorted(found.items()))


def read_config(given: Mapping[str, Any]) -> ProgramConfig | None:
    """The inverse of `config_fields`.

    Raises:
        ValueError: no configuration has such fields together, or one has a value that it cannot have.
    """
    if not given:
        return None
    if "type" in given and _has(MatmulConfig, given):
        program = _choice(MatmulProgram, given["type"], "program of matrix products")
        return MatmulConfig(program, **{name: given[name] for name in given if name != "type"})
    if "sums" in given:
        given = {**given, "sums": _choice(Sums, given["sums"], "format of sums")}
    for kind in _UNTYPED:
        if _has(kind, given):
            return kind(**given)
    raise ValueError(f"no program configuration has {', '.join(given)}; there are {', '.join(CONFIG_FIELDS)}")


def _has(kind: type[ProgramConfig], given: Mapping[str, Any]) -> bool:
    return given.keys() <= {field.name for field in fields(kind)}


def _choice(kind: type[E], name: object, what: str) -> E:
    try:
        return kind(name)
    except ValueError:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(kind)}") from None
