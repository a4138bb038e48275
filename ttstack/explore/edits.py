"""An edit: an op, a field of its placement, and the new value, as text."""

from collections.abc import Mapping
from typing import Any

from ttstack.diagnostics import OverrideError
from ttstack.placement.graph_from_program import place_of
from ttstack.placement.overrides import FORMATS, Overrides, load_overrides
from ttstack.program.find_op import find_op, without_placement
from ttstack.program.launched import launched_positions
from ttstack.program.records import Function
from ttstack.support.suggestion import did_you_mean
from ttstack.support.whole_number import whole_number

FIELDS: Mapping[str, str] = {
    "memory": "dram or l1: memory of the results",
    "layout": "interleaved, height_sharded, width_sharded or block_sharded: layout of the results",
    "grid": "rows x columns of cores, such as 4x8",
    "shards": "rows x columns of the results' shards, where these are not those of the cores",
    "dtype": f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}: the format of the results",
    "fidelity": "LoFi, HiFi2, HiFi3 or HiFi4: passes of the multiplier",
    "spread": "flat, rows, columns or blocks: how loops go over the cores",
    "config": "entries of the program configuration, such as in0_block_w=2 per_core_M=4",
}
"""The editable fields, and the syntax of their values."""


def edit(function: Function, op: str, field: str, value: str) -> Overrides:
    """Return the override for one op of a placed function, by number, location or name.

    Raises:
        InputError: the op does not exist, or has no separate placement.
        OverrideError: the field does not exist, or the value is invalid.
    """
    number = find_op(function, op.removeprefix("op ").strip())
    try:
        own = place_of(function, launched_positions(function)[number])
    except LookupError as error:
        raise without_placement(function, number) from error
    if field not in FIELDS:
        hint = did_you_mean(field, FIELDS) or f"there are {', '.join(FIELDS)}"
        raise OverrideError(f"an op has no '{field}' to edit", hint=hint)
    named = {"location": own.location, "name": own.name, "number": own.number}
    return load_overrides({"ops": [{**named, field: _read(field, value.strip())}]})


def _read(field: str, value: str) -> Any:
    """Return the value in the form of an overrides file, which rejects invalid ones."""
    match field:
        case "grid" | "shards":
            return [_number(part.strip()) for part in value.split("x")]
        case "config":
            pairs = (pair.partition("=") for pair in value.replace(",", " ").split())
            return {name: _number(said) for name, _, said in pairs}
        case _:
            return value


def _number(text: str) -> int | str:
    """Return the number in a text, or the text itself, which overrides reject."""
    number = whole_number(text)
    return text if number is None else number
