"""Integers in untrusted text."""

_DIGITS = 18
"""Maximum number of digits, to fit 64 bits; Python refuses more than 4,300."""


def whole_number(text: str) -> int | None:
    """Return the integer of a text of at most 18 ASCII digits, or None for any other text."""
    return int(text) if len(text) <= _DIGITS and text.isascii() and text.isdecimal() else None
