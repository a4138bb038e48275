"""The options that a program was compiled with, as it stores them."""

import json
from collections.abc import Mapping
from typing import Any, cast


def saved_options(text: str) -> Mapping[str, Any]:
    """Return the options by name; none if the text is not a JSON object, which the reader of a program reports."""
    try:
        found: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
