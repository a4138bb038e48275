"""Pydantic's errors for users' values, in plain words."""

import re
from collections.abc import Iterator

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ttstack.support.suggestion import did_you_mean

NO_VALUE = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
"""Exceptions of PyYAML, in addition to its own, for a scalar that does not match its tag or form."""


def validation_faults(error: ValidationError, unknown: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted path of each fault, empty for the full value, and the message.

    `unknown` is the message for a name.
    """
    for details in error.errors(include_url=False):
        yield ".".join(map(str, details["loc"])), _message(details, unknown)


def _message(details: ErrorDetails, unknown: str) -> str:
    spelled = {
        "extra_forbidden": unknown,
        "unexpected_keyword_argument": unknown,
        "missing": "missing",
        "model_type": "no mapping of names to values",
        "tuple_type": "no list of values",
    }
    if details["type"] == "enum" and (meant := _choice_meant(details)):
        return f"'{details['input']}' is unknown; {meant}"
    return spelled.get(details["type"]) or details["msg"].removeprefix("Value error, ")


def _choice_meant(details: ErrorDetails) -> str:
    known: str = details.get("ctx", {}).get("expected", "")
    return did_you_mean(str(details["input"]), re.findall("'([^']*)'", known))
