"""The parts of a step of training. The path of each of its ops begins with one, before the module's path."""

from enum import StrEnum


class StepPart(StrEnum):
    """One of them, in the order in which they run."""

    FORWARD = "forward"
    LOSS = "loss"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"


BEFORE_BACKWARD = (StepPart.FORWARD, StepPart.LOSS)


def split_part(location: str) -> tuple[str, str]:
    """Return the part of the step and the module of an op's location: `name (file:line)`.

    The part is any text elsewhere.
    """
    part, _, module = location.partition(" ")[0].partition(".")
    return part, module
