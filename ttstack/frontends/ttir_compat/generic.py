"""Ops in generic form: properties become attributes, destinations are dropped, and operand segments converted."""

from collections.abc import Callable, Sequence

from ttstack.dialects.text.edits import Edits, one_line
from ttstack.dialects.text.operation import RESULT_SEGMENTS, SEGMENTS, OperationText, segment_sizes
from ttstack.frontends.ttir_compat.destinations import CONSTRAINTS

Segments = Callable[[str, int, tuple[int, ...] | None], Sequence[int] | None]
ResultSegments = Callable[[str, int], Sequence[int] | None]


def respell_generic(
    op: OperationText,
    edits: Edits,
    destinations: int,
    segments: Segments | None,
    result_segments: ResultSegments | None = None,
) -> None:
    """Rewrite one op.

    Args:
        op: The op.
        edits: The edits to add to.
        destinations: Number of its last operands to drop.
        segments: Returns the `operandSegmentSizes` for an op's name, its number of operands and the sizes in the text;
        without it, those in the text are kept.
        result_segments: Returns the `resultSegmentSizes` for an op's name and its number of results, None for none.
    """
    if destinations:
        for items in (op.operand_items(), op.type_items()):
            for item in items[-destinations:]:
                edits.drop_item(*item)
    properties, attributes = op.entries(op.properties), op.entries(op.attributes)
    given = segment_sizes(op.tokens, (properties | attributes).get(SEGMENTS))
    wanted = _wanted_sizes(op, given, destinations, segments)
    gone = {SEGMENTS} if wanted != given else set[str]()
    new = [_sizes(SEGMENTS, wanted)] if gone and wanted else []
    if result_segments and (results := result_segments(op.name, len(op.result_types()))):
        gone |= {RESULT_SEGMENTS}
        new.append(_sizes(RESULT_SEGMENTS, results))
    kept_properties = _drop_entries(edits, properties, gone | {CONSTRAINTS}, moved=op.regions is not None)
    kept_attributes = _drop_entries(edits, attributes, gone)
    if op.properties is not None and op.regions is not None:
        edits.blank(op.properties - 1, op.tokens.partner[op.properties] + 1)
        new += [one_line(op.tokens.slice(*item)) for item in kept_properties]
        kept_properties = []
    elif op.properties is not None:
        _join(op, op.properties, edits, bool(kept_properties and kept_attributes))
    _add_entries(op, edits, new, bool(kept_properties or kept_attributes))


def _sizes(name: str, sizes: Sequence[int]) -> str:
    return f"{name} = array<i32: {', '.join(map(str, sizes))}>"


def _wanted_sizes(
    op: OperationText, given: tuple[int, ...] | None, destinations: int, segments: Segments | None
) -> tuple[int, ...] | None:
    left = given
    if given and destinations:
        left = given[:-1] if len(given) > 2 else None
    if segments is None:
        return left
    wanted = segments(op.name, len(op.operand_items()) - destinations, left)
    return None if wanted is None else tuple(wanted)


def _drop_entries(
    edits: Edits, entries: dict[str, tuple[int, int]], names: set[str], *, moved: bool = False
) -> list[tuple[int, int]]:
    """Blank the entries of these names, unless all are moved elsewhere; return the remaining entries."""
    for name, item in entries.items():
        if name in names and not moved:
            edits.drop_item(*item)
    return [item for name, item in entries.items() if name not in names]


def _join(op: OperationText, properties: int, edits: Edits, comma: bool) -> None:
    """Merge ``<{a = 1}> {b = 2}`` to ``{a = 1, b = 2}``, with every entry in its old place."""
    closing = op.tokens.partner[properties]
    edits.blank(properties - 1, properties - 1)
    edits.blank(closing + 1, closing + 1)
    if op.attributes is not None:
        edits.replace(closing, closing, "," if comma else " ")
        edits.blank(op.attributes, op.attributes)


def _add_entries(op: OperationText, edits: Edits, new: list[str], others: bool) -> None:
    """Insert entries at the beginning of the op's dictionary, or in a new one."""
    opening = op.attributes if op.regions is not None or op.properties is None else op.properties
    if new and opening is None:
        edits.insert_after(op.colon - 1, f" {{{', '.join(new)}}}")
    elif new and opening is not None:
        edits.insert_after(opening, ", ".join(new) + (", " if others else ""))
