"""Destination operands, which TTIR ops had before they got value semantics.

The first form (2024) is recognized by its properties: `operand_constraints` has an entry for every operand, and the
last of `operandSegmentSizes` counts the destinations. In the second form (2025), a destination is a trailing operand of
the result's type that an ``empty`` op creates, and that the op does not need.
"""

from collections.abc import Callable, Collection

from ttstack.dialects.text.operation import SEGMENTS, OperationText, segment_sizes

Accepts = Callable[[str, int], bool]

CONSTRAINTS = "operand_constraints"
_KEEP_THEIRS = ("ttir.to_layout", "ttir.generic", "ttir.tt_lang_op")


def count_destinations(op: OperationText, empty: Collection[str], accepts: Accepts | None) -> int:
    """Return the number of the op's last operands that are destinations, to be dropped.

    Args:
        op: The op.
        empty: The names of the values that ``empty`` ops create.
        accepts: Returns True if the op of a name supports that many operands; without it the second form is kept.
    """
    operands, properties = op.operand_items(), op.entries(op.properties)
    sizes = segment_sizes(op.tokens, properties.get(SEGMENTS))
    if op.name in _KEEP_THEIRS or len(op.type_items()) != len(operands) or (sizes and sum(sizes) != len(operands)):
        return 0
    if CONSTRAINTS in properties:
        constraints = _list_length(op, properties[CONSTRAINTS])
        return sizes[-1] if sizes else int(0 < len(operands) == constraints)
    count = _trailing_result_types(op)
    if count == 0 or (sizes and sizes[-1] != count):
        return 0
    if sizes and len(sizes) == 2:
        return count
    made = all(op.tokens.slice(*operand) in empty for operand in operands[-count:])
    return count if made and accepts is not None and accepts(op.name, len(operands) - count) else 0


def _trailing_result_types(op: OperationText) -> int:
    """Return the number of results if the last operands have the same types, otherwise 0."""
    results = op.result_types()
    types = [op.tokens.slice(*item) for item in op.type_items()]
    return len(results) if results and types[-len(results) :] == results else 0


def _list_length(op: OperationText, entry: tuple[int, int]) -> int:
    opening = entry[0] + 2
    return len(op.tokens.items(opening)) if op.tokens.closing_index(opening, "[") == entry[1] else 0
