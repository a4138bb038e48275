"""Conversion of older names of TTIR's ops and attributes to the current ones.

"ttir.slice"                                                    "ttir.slice_static"
stride_height = 2 : si32, stride_width = 1 : si32               stride = array<i32: 2, 1>
padding_top = 1 : si32, padding_bottom = 0 : si32, ...          padding = array<i32: top, left, bottom, right>
"""

import re
from collections.abc import Mapping

from ttstack.dialects.text.edits import Edits
from ttstack.dialects.text.operation import OperationText, match_operation
from ttstack.dialects.text.tokens import Tokens

_OPS = {
    "ttir.batch_norm": "ttir.batch_norm_inference",
    "ttir.clamp": "ttir.clamp_scalar",
    "ttir.select": "ttir.index_select",
    "ttir.slice": "ttir.slice_static",
}
_SIDES = {
    **{name: (f"{name}_height", f"{name}_width") for name in ("kernel", "stride", "dilation")},
    "padding": ("padding_top", "padding_left", "padding_bottom", "padding_right"),
}
_CONCERNED = re.compile("|".join([*(f'"{name}"' for name in _OPS), *(rf"{sides[0]}\b" for sides in _SIDES.values())]))


def respell_older(text: str) -> str:
    """Return the text with current names."""
    if not _CONCERNED.search(text):
        return text
    tokens = Tokens(text)
    edits = Edits(tokens)
    for index in range(len(tokens)):
        if tokens[index].startswith('"ttir.') and (op := match_operation(tokens, index)):
            if op.name in _OPS:
                edits.replace(index, index, f'"{_OPS[op.name]}"')
            for dictionary in (op.properties, op.attributes):
                _join_sides(op, edits, op.entries(dictionary))
    return edits.apply()


def _join_sides(op: OperationText, edits: Edits, entries: Mapping[str, tuple[int, int]]) -> None:
    """Replace an attribute for each side by one attribute, in the place of the last."""
    joined: dict[tuple[int, int], str] = {}
    gone: list[tuple[int, int]] = []
    for name, sides in _SIDES.items():
        if all(side in entries for side in sides):
            numbers = ", ".join(op.tokens[entries[side][0] + 2] for side in sides)
            *others, last = sorted(entries[side] for side in sides)
            joined[last], gone = f"{name} = array<i32: {numbers}>", gone + others
    for item in sorted(gone):
        edits.drop_item(*item)
    for item, new in joined.items():
        edits.replace(*item, new)
