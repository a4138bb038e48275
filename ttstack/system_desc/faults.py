"""Faults of a device file: each has a place, and all of a file's faults become one error."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ttstack.diagnostics import SystemDescError
from ttstack.support.suggestion import did_you_mean
from ttstack.system_desc.base import INCONSISTENT
from ttstack.system_desc.relations import relation_faults
from ttstack.system_desc.system import SystemDesc

Path = tuple[str | int, ...]
MISSING = "this field is missing"


@dataclass(frozen=True)
class Mark:
    """A line of a file, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Fault:
    """A fault at one position of a description."""

    message: str
    mark: Mark | None = None
    path: Path = ()

    def __str__(self) -> str:
        parts = (str(self.mark) if self.mark else "", spell(self.path), self.message)
        return ": ".join(part for part in parts if part)


def spell(path: Path) -> str:
    """Return the path as a user writes it: `chips[0].l1.size_bytes`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


def error_of(faults: Iterable[Fault], origin: str) -> SystemDescError:
    """One error for all faults, in order of lines, located at the first."""
    ordered = sorted(
        faults, key=lambda fault: (fault.mark.file != origin, fault.mark.line) if fault.mark else (True, 0)
    )
    count = "a fault" if len(ordered) == 1 else f"{len(ordered)} faults"
    notes = tuple(str(fault) for fault in ordered)
    mark = ordered[0].mark
    where = mark if mark and mark.file == origin else origin
    return SystemDescError(f"{count} in the device description", loc=where, notes=notes)


def faults_of(error: ValidationError, values: object, marks: Mapping[Path, Mark]) -> Iterator[Fault]:
    """Return the faults of values that pydantic refused, each at its line or that of the section around it."""
    found = [(_path(details), details) for details in error.errors(include_url=False)]
    for path, details in found:
        if details["type"] == "too_short" and any(path == other[: len(path)] != other for other, _ in found):
            continue  # pydantic does not count the items that have faults of their own
        if details["type"] != INCONSISTENT:
            yield Fault(_message(details, path), nearest(marks, path), path)
    for path, why in relation_faults(SystemDesc, values):
        yield Fault(why, nearest(marks, path), path)


def _path(details: ErrorDetails) -> Path:
    return tuple(key for key in details["loc"] if key != "[key]")


def nearest(marks: Mapping[Path, Mark], path: Path) -> Mark | None:
    """Return the mark of `path`, or of the nearest section around it."""
    for length in range(len(path), -1, -1):
        if path[:length] in marks:
            return marks[path[:length]]
    return None


def _message(details: ErrorDetails, path: Path) -> str:
    kind, context = details["type"], details.get("ctx", {})
    given = _spell_value(details["input"])
    messages = {
        "missing": MISSING,
        "model_type": f"expected a mapping of fields, got {given}",
        "dict_type": f"expected a mapping of fields, got {given}",
        "tuple_type": f"expected a list, got {given}",
        "value_error": details["msg"].removeprefix("Value error, "),
        "literal_error": f"{given} is not one of {context.get('expected', '')}",
        "too_short": f"has {context.get('actual_length')} items, needs {context.get('min_length')}",
    }
    if kind == "extra_forbidden":
        return f"unknown field{_suggestion(path)}"
    return messages.get(kind) or f"{details['msg'][:1].lower()}{details['msg'][1:]}, got {given}"


def _spell_value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _suggestion(path: Path) -> str:
    known = _fields(SystemDesc, path[:-1])
    meant = did_you_mean(str(path[-1]), known)
    return f"; {meant}" if meant else f"; the fields here are {', '.join(known)}"


def _fields(model: type[BaseModel], path: Path) -> tuple[str, ...]:
    for key in path:
        if isinstance(key, int) or key not in model.model_fields:
            continue
        inner = _model_in(model.model_fields[key].annotation)
        if inner is None:
            return ()
        model = inner
    return tuple(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)
