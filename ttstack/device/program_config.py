"""Program configurations: block sizes of kernels, a class for each kind.

Files, reports, IR and overrides use the field names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum, StrEnum
from typing import Any, TypeVar


@dataclass(frozen=True)
class TileCounts:
    """A program configuration; fields that are None are maximal, or the kernel's default.

    Raises:
        ValueError: a field is not a number of tiles from 1 on.
    """

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not isinstance(value, Enum) and (type(value) is not int or value < 1):
                raise ValueError(f"'{name}' of a program configuration is a number of tiles from 1 on, not {value!r}")

    def tiles(self) -> dict[str, int]:
        """Return all numbers of tiles that are not None, by name."""
        return {name: value for name, value in vars(self).items() if type(value) is int}


class MatmulProgram(StrEnum):
    """tt-metal's matmul programs, by the names of their configurations."""

    MULTICAST_2D = "MatmulMultiCoreReuseMultiCastProgramConfig"
    MULTICAST_1D = "MatmulMultiCoreReuseMultiCast1DProgramConfig"
    REUSE = "MatmulMultiCoreReuseProgramConfig"
    DRAM_SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"


@dataclass(frozen=True)
class MatmulConfig(TileCounts):
    """Output blocks of a core, steps along K, and subblocks that fit Dst.

    `MatmulBlocks` defines the meaning of None.
    """

    type: MatmulProgram
    in0_block_w: int | None = None
    per_core_M: int | None = None
    per_core_N: int | None = None
    out_block_h: int | None = None
    out_block_w: int | None = None
    out_subblock_h: int | None = None
    out_subblock_w: int | None = None


@dataclass(frozen=True)
class AttentionConfig(TileCounts):
    """Chunks of queries and keys whose scores a core computes at a time."""

    q_chunk_tiles: int | None = None
    k_chunk_tiles: int | None = None


class Sums(StrEnum):
    """The accumulation type in Dst: the library's `fp32_dest_acc_en`."""

    BF16 = "bf16"
    F32 = "f32"


@dataclass(frozen=True)
class RowwiseConfig(TileCounts):
    """The part of a row that a core buffers at a time, and the accumulation type."""

    block_w: int | None = None
    sums: Sums | None = None
    """The accumulation type; that of the result's width for None."""


@dataclass(frozen=True)
class WindowConfig(TileCounts):
    """Rows of the result that a core computes from one slice of windows."""

    out_block_h: int | None = None


ProgramConfig = MatmulConfig | AttentionConfig | RowwiseConfig | WindowConfig
"""The configuration of one kernel; `type` identifies matmuls, and field names identify the others."""
E = TypeVar("E", bound=StrEnum)
_UNTYPED = (RowwiseConfig, AttentionConfig, WindowConfig)
CONFIG_FIELDS = tuple(dict.fromkeys(f.name for kind in (MatmulConfig, *_UNTYPED) for f in fields(kind)))
"""The names of all fields, each once."""


def config_fields(config: ProgramConfig | None) -> dict[str, int | str]:
    """Return the fields that are not None, in the order of their names; none without a configuration."""
    values: dict[str, int | str] = {} if config is None else dict(config.tiles())
    if isinstance(config, MatmulConfig):
        values["type"] = config.type.value
    if isinstance(config, RowwiseConfig) and config.sums:
        values["sums"] = config.sums.value
    return dict(sorted(values.items()))


def read_config(values: Mapping[str, Any]) -> ProgramConfig | None:
    """Return the configuration with these fields.

    Raises:
        ValueError: no configuration has such fields together, or one has an invalid value.
    """
    if not values:
        return None
    if "type" in values and _has(MatmulConfig, values):
        program = _choice(MatmulProgram, values["type"], "program of matrix products")
        return MatmulConfig(program, **{name: values[name] for name in values if name != "type"})
    if "sums" in values:
        values = {**values, "sums": _choice(Sums, values["sums"], "format of sums")}
    for kind in _UNTYPED:
        if _has(kind, values):
            return kind(**values)
    raise ValueError(f"no program configuration has {', '.join(values)}; there are {', '.join(CONFIG_FIELDS)}")


def _has(kind: type[ProgramConfig], values: Mapping[str, Any]) -> bool:
    return values.keys() <= {field.name for field in fields(kind)}


def _choice(kind: type[E], name: object, what: str) -> E:
    try:
        return kind(name)
    except ValueError:
        raise ValueError(f"{name!r} is not a {what}; there are {', '.join(kind)}") from None
