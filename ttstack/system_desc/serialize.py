"""A description as plain values: for YAML, for MLIR attributes, for flatbuffers, and hashed."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from ttstack.system_desc.faults import error_of, faults_of
from ttstack.system_desc.system import SystemDesc
from ttstack.system_desc.upgrade import upgrade


def to_dict(desc: SystemDesc, *, sources: bool = True) -> dict[str, Any]:
    """Return the description as values that JSON has, numbers in base units; without the citations on request."""
    values = desc.model_dump(mode="json")
    if not sources:
        for part in (values, *cast(list[dict[str, Any]], values["chips"])):
            del part["sources"]
    return values


def from_dict(values: Mapping[str, Any], *, origin: str = "<dict>") -> SystemDesc:
    """The description that `to_dict` gave, today or before fields changed.

    Raises:
        SystemDescError: fields are wrong, missing or unknown; one note each.
    """
    today = upgrade(values)
    try:
        return SystemDesc.model_validate(today)
    except ValidationError as error:
        raise error_of(faults_of(error, today, {}), origin) from error


def dump(desc: SystemDesc, *, sources: bool = True) -> str:
    """Format the description as YAML that loads back to an equal one; citations follow the figures."""
    from ttstack.system_desc.yaml_writer import to_yaml

    values = to_dict(desc, sources=sources)
    for part in (values, *cast(list[dict[str, Any]], values["chips"])):
        if sources:
            part["sources"] = part.pop("sources")
    return to_yaml(values)


def digest(desc: SystemDesc) -> str:
    """SHA-256 of the figures, in hexadecimal; citations do not count."""
    text = json.dumps(to_dict(desc, sources=False), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
