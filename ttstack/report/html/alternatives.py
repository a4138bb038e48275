"""Alternatives of ops, for the page's detail of an op."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ttstack.device.device_op import DeviceOp
from ttstack.report.formatting import short_layout


class Way(Protocol):
    """One placement of an op, with all other ops unchanged."""

    @property
    def device_op(self) -> DeviceOp:
        """Return the op with the layouts and cores of this placement."""
        ...

    @property
    def ns(self) -> float:
        """Nanoseconds of the op itself."""
        ...

    @property
    def more_ns(self) -> float:
        """Nanoseconds of the whole function, compared with the program."""
        ...

    @property
    def name(self) -> str | None:
        """Return the name of the placement; None for most."""
        ...

    @property
    def why(self) -> str:
        """Return the reason for or against this placement."""
        ...


Alternatives = Mapping[int, tuple[int, Sequence[Way]]]
"""By op number: the number of an equal op, and its placements, the chosen one first."""


def alternative_rows(alternatives: Alternatives, strings: Callable[[str], int]) -> dict[str, Any]:
    """`of` by the number of an op: the number of the one that is explained; `ways` of that one.

    A way is nanoseconds more, nanoseconds of the op, and places of texts: cores, layouts of operands and results, why.
    """
    ways = {of: [_row(way, strings) for way in found[1:]] for of, found in alternatives.values()}
    return {"of": {number: of for number, (of, _) in alternatives.items()}, "ways": ways}


def _row(way: Way, strings: Callable[[str], int]) -> list[float]:
    op = way.device_op
    why = f"{way.name}: {way.why}" if way.name else way.why
    layouts = (", ".join(map(short_layout, of)) for of in (op.operands, op.results))
    return [round(way.more_ns, 1), round(way.ns, 1), *map(strings, (str(op.grid), *layouts, why))]
