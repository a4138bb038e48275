"""How far predicted times may be off, as all reports say it."""

from ttstack.cost import Confidence


def error_text(confidence: Confidence) -> str:
    """Per cent within which two of three measurements of ops like it lie, with a star where there are none.

    Two numbers where they lie more to one side.
    """
    between = confidence.interval
    if between is None:
        return "?"
    star, (low, high) = "*" if confidence.extrapolated else "", between
    return f"{100 * high:.0f}{star}" if low == -high else f"{100 * low:+z.0f}{100 * high:+z.0f}{star}"
