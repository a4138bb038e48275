"""Relations between fields of descriptions with other wrong fields, which are checked all the same."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from ttstack.system_desc.base import Desc, Fault

_FORMS: dict[Any, Any] = {tuple: (list, tuple), dict: Mapping}
"""Accepted forms of containers with several parts; a single part is a mapping."""


def relation_faults(model: type[Desc], values: object) -> Iterator[Fault]:
    """Return the faults of all relations whose fields are there and of their kind, at their paths from `model` on."""
    faults: list[Fault] = []
    _part(model, values, (), faults)
    return iter(faults)


def _part(model: type[BaseModel], values: object, path: tuple[str | int, ...], faults: list[Fault]) -> BaseModel:
    """Return a part's valid fields; accessing another field raises `AttributeError`."""
    given: Mapping[str, Any] = cast(Mapping[str, Any], values) if isinstance(values, Mapping) else {}
    found: dict[str, Any] = {}
    for name in model.model_fields.keys() & given.keys():
        try:
            found[name] = _value(model, name, given[name], (*path, name), faults)
        except ValidationError:
            continue
    part = model.model_construct(None, **found)
    for relation in part.relations() if isinstance(part, Desc) else ():
        faults.extend(_found(relation, path))
    return part


def _value(model: type[BaseModel], name: str, given: Any, path: tuple[str | int, ...], faults: list[Fault]) -> Any:
    """Return a field's value: a part, several parts, or pydantic's conversion."""
    bare: Any = model.model_fields[name].annotation
    part = next((t for t in (bare, *get_args(bare)) if isinstance(t, type) and issubclass(t, BaseModel)), None)
    form = get_origin(bare)
    if part is None or not isinstance(given, _FORMS.get(form, Mapping)):
        return _adapter(model, name).validate_python(given)
    if form is tuple:
        parts = cast(list[Any], given)
        return tuple(_part(part, item, (*path, i), faults) for i, item in enumerate(parts))
    if form is dict:
        parts = cast(dict[str, Any], given)
        return {key: _part(part, item, (*path, key), faults) for key, item in parts.items()}
    return _part(part, given, path, faults)


@cache
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    """Return a field's adapter, cached because its creation is slow."""
    field = model.model_fields[name]
    bare: Any = field.annotation
    whole: Any = Annotated[bare, *field.metadata] if field.metadata else bare
    return TypeAdapter(whole)


def _found(relation: Any, path: tuple[str | int, ...]) -> Iterator[Fault]:
    try:
        for loc, why in relation:
            yield (*path, *loc), why
    except AttributeError:
        return
