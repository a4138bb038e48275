"""Placement decisions of the user: ops selected by location, and the constraints of each."""

import json
import os
from collections.abc import Mapping, Sequence
from glob import escape
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ttstack.device.block_configs import whole_config
from ttstack.device.device_op import DeviceOp, Fidelity, Spread, default_fidelity
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import config_fields
from ttstack.diagnostics import OverrideError
from ttstack.ops.types import DType
from ttstack.options.choices import RealFormat
from ttstack.program.locations import find_ops
from ttstack.support.files import why_unread
from ttstack.support.suggestion import file_meant
from ttstack.support.validation import validation_faults
from ttstack.support.yaml_text import line_of, read_yaml


def real_format(dtype: DType) -> RealFormat | None:
    """Return the options' name of a format for real numbers; None for any other."""
    match dtype:
        case DType.F32:
            return RealFormat.F32
        case DType.BF16:
            return RealFormat.BF16
        case DType.BFP8_B:
            return RealFormat.BFP8_B
        case DType.BFP4_B:
            return RealFormat.BFP4_B
        case DType.F64 | DType.F16 | DType.I1 | DType.I8 | DType.SI8 | DType.UI8 | DType.I16 | DType.SI16 | DType.UI16:
            return None
        case DType.I32 | DType.SI32 | DType.UI32 | DType.I64 | DType.SI64 | DType.UI64:
            return None


FORMATS = tuple(dtype for dtype in DType if real_format(dtype))
"""Possible formats of real numbers."""

Extent = Annotated[int, Field(ge=1)]


_OTHER_NAMES = {"float32": "f32", "float": "f32", "fp32": "f32", "bfloat16": "bf16"}
"""Names of formats in frameworks; those of NumPy's types are their `__name__`."""


def _check_format(value: object) -> object:
    spelled = str(getattr(value, "__name__", value)).removeprefix("torch.")
    found = _OTHER_NAMES.get(spelled, value)
    if found is not None and found not in FORMATS:
        raise ValueError(f"{value!r} is not one of {', '.join(FORMATS)}")
    return found


def _check_memory(value: object) -> object:
    if value not in (None, MemorySpace.DRAM, MemorySpace.L1):
        raise ValueError("memory is dram or l1")
    return value


Format = Annotated[DType, BeforeValidator(_check_format)]


def _check_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("half a character beyond 16 bits") from error
    return text


Text = Annotated[str, AfterValidator(_check_text)]


class _StrictModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_enum_values=False)


class LayoutConstraint(_StrictModel):
    """Layout constraint of a tensor; omitted fields are free."""

    memory: Annotated[MemorySpace | None, BeforeValidator(_check_memory)] = None
    layout: MemoryLayout | None = None
    grid: tuple[Extent, Extent] | None = None
    """Rows and columns of cores if the tensor is sharded."""

    def takes(self, layout: Layout) -> bool:
        """Return True if a tensor may have this layout."""
        memory = self.memory in (None, layout.memory_space)
        return memory and self.layout in (None, layout.memory_layout) and _equal(self.grid, layout.grid)


class ArgumentOverride(_StrictModel):
    """The format of some inputs or parameters."""

    name: Text
    """The arguments' names; `*`, `?` and `[...]` match any text, any character, and a set of characters."""
    dtype: Format


class OpOverride(LayoutConstraint):
    """Constraints of some ops: `memory` and `layout` of the results, `grid` of the cores."""

    location: Text
    """Location of the ops, as reports print it; `*`, `?` and `[...]` match any text, character, set."""
    name: Text | None = None
    """Mnemonic of the ops; all if omitted."""
    number: Annotated[int, Field(ge=0)] | None = None
    """Index among the ops with this location and name, from 0; all if omitted."""
    dtype: Format | None = None
    """Format of the results' real numbers."""
    shards: tuple[Extent, Extent] | None = None
    """Grid of the results' shards, if different from the cores."""
    operands: tuple[LayoutConstraint | None, ...] | None = None
    """Layouts of the operands when the op reads them."""
    spread: Spread | None = None
    fidelity: Fidelity | None = None
    """Passes of the multiplier."""
    config: dict[str, int | str] | None = None
    """Entries of the program configuration."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.memory is MemorySpace.DRAM and self.layout not in (None, MemoryLayout.INTERLEAVED):
            raise ValueError(f"a result in DRAM is interleaved, not {self.layout}")
        return self

    def allows(self, op: DeviceOp) -> bool:
        """Return True if an op may have this placement, its configuration aside."""
        place = LayoutConstraint(memory=self.memory, layout=self.layout, grid=self.shards)
        some = any if self.memory is MemorySpace.L1 else all  # results of the function are in DRAM in any case
        results = some(place.takes(layout) for layout in op.results)
        pairs = zip(self.operands or (), op.operands, strict=False)
        operands = all(asked is None or asked.takes(layout) for asked, layout in pairs)
        return results and operands and _equal(self.grid, op.grid) and self.spread in (None, op.spread)

    def join(self, other: "OpOverride") -> "OpOverride":
        """Merge this override with a later one, which takes precedence."""
        fields = {k: v for k, v in other if v is not None and k not in ("location", "number")}
        return self.model_copy(update=fields)

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    def __str__(self) -> str:
        name = f"{self.name} at " if self.name else ""
        return f"{name}{self.location}" + (f", number {self.number}" if self.number is not None else "")


class Overrides(_StrictModel):
    """A file of overrides for ops and arguments; later entries take precedence."""

    arguments: tuple[ArgumentOverride, ...] = ()
    ops: tuple[OpOverride, ...] = ()

    def match(self, ops: Sequence[tuple[str, str]]) -> tuple[list[OpOverride | None], list[OpOverride]]:
        """Return the requirements for each (name, location), and the overrides without a match."""
        matched: list[OpOverride | None] = [None] * len(ops)
        unused: list[OpOverride] = []
        for override in self.ops:
            found_here = _describe(override, ops)
            chosen = found_here if override.number is None else found_here[override.number : override.number + 1]
            for i in chosen:
                earlier = matched[i]
                matched[i] = override if earlier is None else earlier.join(override)
            unused += [] if chosen else [override]
        return matched, unused

    def extend(self, later: "Overrides") -> "Overrides":
        """Return both sets of overrides; the later ones take precedence."""
        return Overrides(arguments=(*self.arguments, *later.arguments), ops=(*self.ops, *later.ops))

    def to_dict(self) -> dict[str, Any]:
        """Return a mapping that `load_overrides` accepts."""
        return self.model_dump(mode="json", exclude_none=True)

    def text(self) -> str:
        """Return YAML that `load_overrides` reads."""
        return yaml.safe_dump(self.to_dict(), sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)


def export_overrides(ops: Sequence[tuple[str, DeviceOp]], arguments: Mapping[str, DType]) -> Overrides:
    """Overrides that fix everything about ops with their locations, and the formats of arguments."""
    seen: dict[tuple[str, str], int] = {}
    overrides: list[OpOverride] = []
    for location, op in ops:
        key = (op.op.mnemonic, location)
        seen[key] = seen.get(key, -1) + 1
        results = sorted(op.results, key=lambda layout: not layout.in_l1)
        result = _place(results[0]) if results else None
        formats = {r.dtype for r, t in zip(op.results, op.op.results, strict=True) if t.dtype.is_float}
        overrides.append(
            OpOverride(
                location=escape(location),
                name=op.op.mnemonic,
                number=seen[key],
                grid=(op.grid.rows, op.grid.cols),
                memory=result.memory if result else None,
                layout=result.layout if result else None,
                shards=result.grid if result and result.grid != (op.grid.rows, op.grid.cols) else None,
                dtype=next((f for f in formats if f in FORMATS), None),
                operands=tuple(map(_place, op.operands)),
                spread=op.spread,
                fidelity=None if op.fidelity == default_fidelity(*(o.dtype for o in op.operands[:2])) else op.fidelity,
                config=config_fields(whole_config(op)),
            )
        )
    formats = tuple(
        ArgumentOverride(name=escape(name), dtype=dtype) for name, dtype in arguments.items() if dtype in FORMATS
    )
    return Overrides(arguments=formats, ops=tuple(overrides))


OverridesSource = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a file of overrides, or its content."""


def load_overrides(source: OverridesSource | Overrides) -> Overrides:
    """Overrides from a YAML or JSON file, or from values of the same form.

    Raises:
        OverrideError: there is no such file, or it has faults; one note each.
    """
    if isinstance(source, Overrides):
        return source
    origin = None if isinstance(source, Mapping) else os.fspath(source)
    text = "" if origin is None else _text(Path(origin))
    values: Any = source if origin is None else _values(Path(origin), text)
    try:
        return Overrides.model_validate(values)
    except ValidationError as error:
        faults = validation_faults(error, unknown="nothing that can be fixed")
        located = ((f"{origin}:{line_of(text, path)}: " if text else "", path, what) for path, what in faults)
        notes = tuple(f"{line}{path or 'the whole'}: {what}" for line, path, what in located)
        raise OverrideError("the overrides have faults", loc=origin, notes=notes, hint=_HINT) from error


_HINT = "write 'ops:' and a list of entries with 'location' and the decisions to fix; see docs/placement.md"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        hint = file_meant(path) or "give a file of YAML or JSON, as `ttstack inspect --overrides FILE` writes it"
        raise OverrideError(f"cannot read '{path}': {why_unread(error)}", hint=hint) from error


def _values(path: Path, text: str) -> Any:
    try:
        return json.loads(text) if path.suffix == ".json" else read_yaml(text)
    except RecursionError as error:
        raise OverrideError(f"'{path}' is nested too deeply", hint=_HINT) from error
    except ValueError as error:
        raise OverrideError(f"'{path}' is neither YAML nor JSON", notes=(str(error),), hint=_HINT) from error


def _place(layout: Layout) -> LayoutConstraint | None:
    """Return the constraint with all properties of a layout; None for layouts on the host."""
    if layout.on_host:
        return None
    grid = (layout.grid.rows, layout.grid.cols) if layout.grid else None
    return LayoutConstraint(memory=layout.memory_space, layout=layout.memory_layout, grid=grid)


_UNNAMED = "generic"
"""A `ttir.generic` without a source name: reports use the device op's name, so any name can match."""


def _describe(override: OpOverride, ops: Sequence[tuple[str, str]]) -> list[int]:
    named = [i for i, (name, _) in enumerate(ops) if override.name in (None, name) or name == _UNNAMED]
    return [named[i] for i in find_ops(override.location, [ops[i] for i in named])]


def _equal(asked: tuple[int, int] | None, grid: Grid | None) -> bool:
    return asked is None or (grid is not None and asked == (grid.rows, grid.cols))
