"""Settings for Tensor-Train form: for all tables, or table by table."""

import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_serializer, model_validator

from ttstack.diagnostics import PassOptionError
from ttstack.support.suggestion import did_you_mean
from ttstack.support.validation import validation_faults
from ttstack.support.whole_number import whole_number
from ttstack.support.yaml_text import line_of, read_yaml
from ttstack.system_desc.quantities import BYTES

_UNKNOWN = "no such setting"


def _numbers(value: Any) -> Any:
    """Parse `16` and `16x32`, as ranks and factors are spelled; return lists unchanged."""
    if isinstance(value, str):
        numbers = ((part, whole_number(part.strip())) for part in value.split("x"))
        return tuple(part if number is None else number for part, number in numbers)
    return (value,) if isinstance(value, int) else value


def _size(value: Any) -> Any:
    """`4 MiB` and the like as bytes."""
    return BYTES(value) if isinstance(value, str) else value


_Factors = Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=2)]


class TableSettings(BaseModel):
    """Limits for the compression of one table.

    `max_bytes` and `ranks` say what the cores may take; without either, the ranks are the least that keep `rel_error`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    rel_error: float = Field(default=0.05, gt=0, lt=1)
    """Relative Frobenius error that must not be exceeded."""
    max_bytes: Annotated[int | None, BeforeValidator(_size)] = Field(default=None, gt=0)
    """Maximum bytes of all cores of a table."""
    ranks: Annotated[tuple[Annotated[int, Field(ge=1)], ...] | None, BeforeValidator(_numbers)] = None
    """Ranks between cores: one for all, or one for each pair; there is one more core than ranks."""
    row_factors: Annotated[_Factors | None, BeforeValidator(_numbers)] = None
    """Factors of the rows, such as `5000x24` for pairs of a user and an hour; chosen if omitted."""
    min_rows: int = Field(default=100_000, ge=1)
    """Smaller tables are unchanged."""
    max_slowdown: float = Field(default=2.0, gt=0)
    """Predicted time of the lookups, as a multiple of that in the dense table, that must not be exceeded."""

    @model_validator(mode="after")
    def _one_request(self) -> Self:
        if self.ranks is not None and self.max_bytes is not None:
            raise ValueError("max_bytes and ranks both limit the cores: give one of them")
        return self


class Rules(BaseModel):
    """Settings for all tables, and for tables by name or pattern; `False` excludes a table."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    default: TableSettings
    tables: dict[str, TableSettings | Literal[False]] = {}

    def of(self, name: str) -> TableSettings | None:
        """Return the settings of the first pattern that matches the name; None if the table stays dense."""
        found = next((given for pattern, given in self.tables.items() if fnmatchcase(name, pattern)), self.default)
        return found if isinstance(found, TableSettings) else None

    def check_names(self, names: Iterable[str]) -> None:
        """Check that every pattern matches a table.

        Raises:
            PassOptionError: some mean none; all of them.
        """
        known = list(names)
        unused = [p for p in self.tables if not any(fnmatchcase(name, p) for name in known)]
        if unused:
            raise PassOptionError(
                "settings for tables that the model does not have",
                notes=tuple(f"no table is called '{pattern}'" for pattern in unused),
                hint=f"its tables: {', '.join(known) or 'none'}",
            )

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        """Return the form that `read_rules` accepts."""
        tables = {name: table.model_dump() if table else False for name, table in self.tables.items()}
        return self.default.model_dump() | ({"tables": tables} if tables else {})


def read_rules(given: object) -> Rules:
    """Parse rules: a text such as `rel_error=0.05`, the path of a YAML file, or the content of such a file.

    A file has settings as for all tables, and under `tables` those of names and patterns.

    Raises:
        PassOptionError: there are none, or something is not a setting; all faults together.
    """
    if isinstance(given, Rules):
        return given
    if isinstance(given, Mapping):
        return _rules(cast(Mapping[Any, Any], given), "tensor_train")
    text: object = os.fspath(cast(os.PathLike[Any], given)) if isinstance(given, os.PathLike) else given
    if not isinstance(text, str):
        kind = type(cast(object, given)).__name__
        raise PassOptionError(f"tensor_train is a {kind}", hint="give settings such as rel_error=0.05")
    if "=" not in text and text.strip():
        return load_rules(Path(text))
    pairs = (part.partition("=") for part in text.replace(",", " ").split())
    return _rules({key.replace("-", "_"): value for key, _, value in pairs}, text)


def load_rules(path: Path) -> Rules:
    """Load the rules of a YAML file.

    Raises:
        PassOptionError: the file cannot be read, or says something that is not a setting; all faults together.
    """
    try:
        text = path.read_text("utf-8")
        document = read_yaml(text)
    except (OSError, ValueError) as e:
        why = getattr(e, "strerror", None) or e
        raise PassOptionError(
            f"cannot read the settings of tables in '{path}': {why}",
            hint="give settings such as rel_error=0.05, or the path of a YAML file",
        ) from e
    if not isinstance(document, dict):
        raise PassOptionError(f"'{path}' holds no settings", hint="write `rel_error: 0.05`, and `tables:` for some")
    return _rules(cast(dict[Any, Any], document), str(path), text)


def _rules(document: Mapping[Any, Any], origin: str, text: str | None = None) -> Rules:
    """Return the rules of a document; faults of one that was read from `text` have its line numbers."""
    if not document:
        raise PassOptionError("tensor_train has no settings", hint="give some, such as rel_error=0.05, or leave it out")
    faults: list[str] = []
    given: dict[str, Any] = dict(document)
    tables = given.pop("tables", {})
    default = _read(given, "", faults) or TableSettings()
    found: dict[str, TableSettings | Literal[False]] = {}
    if not isinstance(tables, Mapping):
        faults.append(f"tables: {tables!r} is not a mapping of names to settings")
        tables = {}
    for name, table in cast(Mapping[Any, Any], tables).items():
        whole = table if faults or not isinstance(table, Mapping) else given | dict(cast(Mapping[Any, Any], table))
        found[str(name)] = False if table is False else _read(whole, f"tables.{name}", faults) or default
    if faults:
        raise PassOptionError(
            f"bad settings of tables in '{origin}'",
            notes=tuple(faults if text is None else (f"{_place(origin, text, f)}: {f}" for f in faults)),
            hint=f"a table takes {', '.join(TableSettings.model_fields)}, or is false",
        )
    return Rules(default=default, tables=found)


def _place(origin: str, text: str, fault: str) -> str:
    return f"{origin}:{line_of(text, fault.partition(': ')[0])}"


def _read(given: object, place: str, faults: list[str]) -> TableSettings | None:
    """Return the settings of one table; None if they have faults, which are added to the list."""
    if not isinstance(given, Mapping):
        faults.append(f"{place}: {given!r} is neither settings nor false")
        return None
    try:
        return TableSettings.model_validate(given)
    except ValidationError as e:
        for path, what in validation_faults(e, unknown=_UNKNOWN):
            meant = did_you_mean(path, TableSettings.model_fields) if what == _UNKNOWN else ""
            faults.append(f"{'.'.join(filter(None, (place, path)))}: {'; '.join(filter(None, (what, meant)))}")
        return None
