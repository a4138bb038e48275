"""Numbers that fit the integer types of attributes, and the first ones that do not."""

import pytest

from ttstack.ops.attributes import check_range


@pytest.mark.parametrize(
    ("element", "low", "high"),
    [
        ("i1", -1, 0),
        ("si8", -128, 127),
        ("si32", -(2**31), 2**31 - 1),
        ("i64", -(2**63), 2**63 - 1),
        ("ui32", 0, 2**32 - 1),
    ],
)
def test_both_ends_fit_and_what_is_beyond_does_not(element: str, low: int, high: int):
    check_range(low, element)
    check_range(high, element)
    for beyond in (low - 1, high + 1):
        with pytest.raises(ValueError, match=f"^{beyond} does not fit {element}$"):
            check_range(beyond, element)
