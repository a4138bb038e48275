"""An edit: an op, a field of its placement, and the value that it is to have, as people spell them."""

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
    "memory": "dram or l1: where the results lie",
    "layout": "interleaved, height_sharded, width_sharded or block_sharded: how the results lie there",
    "grid": "rows x columns of cores, as 4x8",
    "shards": "rows x columns of the results' shards, where these are not those of the cores",
    "dtype": f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}: the format of the results",
    "fidelity": "LoFi, HiFi2, HiFi3 or HiFi4: passes of the multiplier",
    "spread": "flat, rows, columns or blocks: how loops go over the cores",
    "config": "entries of the program configuration, as in0_block_w=2 per_core_M=4",
}
"""What can be edited, and how its value is spelled."""


def edit(function: Function, op: str, field: str, value: str) -> Overrides:
    """The override of one op of a placed function, whose number, location or name `op` is.

    Raises:
        InputError: there is no such op, or it has no placement of its own.
        OverrideError: there is no such field, or it cannot have that value.
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
    """The value as a file of overrides has it; what does not fit is left for overrides to refuse."""
    match field:
        case "grid" | "shards":
            return [_number(part.strip()) for part in value.split("x")]
        case "config":
            pairs = (pair.partition("=") for pair in value.replace(",", " ").split())
            return {name: _number(said) for name, _, said in pairs}
        case _:
            return value


def _number(text: str) -> int | str:
    """Return the number that a text spells, or else the text, which overrides refuse."""
    number = whole_number(text)
    return text if number is None else number
