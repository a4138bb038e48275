"""Names of ops as profilers, tests and users spell them."""

import re

_WHOLE = ("silu", "gelu", "glu", "elu", "sdpa", "fp32")
"""Words whose capitals do not begin words."""


def operation(text: str) -> str:
    """The name in snake case, without what profilers add: `ttnn.`, `DeviceOperation`, a number at the end."""
    words = re.sub(r"\bttnn(::|\.)(\w+(::|\.))*|\btt::\S*::", "", text.strip())
    for word in _WHOLE:
        words = re.sub(rf"(?<![a-z]){word}(?![a-z])", word, words, flags=re.IGNORECASE)
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[A-Z][a-z])", "_", words).lower()
    words = re.sub(r"_?device_?operation|_?operation\b|_?program_?factory\b", "", words)
    return re.sub(r"_\d+$", "", words.strip("_ "))
