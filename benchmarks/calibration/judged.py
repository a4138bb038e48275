"""Rows beside their predictions, and rows that have none with the reason."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from boards import chips_of
from classes import class_of
from expressed import Expressed, Forecast
from inexpressible import CustomKernelError, InexpressibleError
from predictions import express
from rows import Row

from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Judged:
    """One row's measurement and prediction."""

    expressed: Expressed
    forecast: Forecast

    @property
    def error(self) -> float:
        """Relative, positive where the prediction is too long."""
        return self.forecast.us / self.expressed.measured_us - 1

    @property
    def log_error(self) -> float:
        """The logarithm of predicted over measured: as far from 0 for half as for twice the time."""
        return math.log1p(self.error)

    @property
    def longer(self) -> float:
        """Share of the predicted time by which the measured one is longer; below 0 where it is shorter."""
        return 1 / (1 + self.error) - 1

    @property
    def roofline_error(self) -> float:
        """The same of the roofline."""
        return self.forecast.roofline_us / self.expressed.measured_us - 1

    @property
    def kind(self) -> str:
        """The class, with the architecture where it is not Wormhole."""
        return _of_arch(self.expressed.kind, self.expressed.row)

    @property
    def calls(self) -> int:
        """How often the op ran."""
        return self.expressed.row.said.calls

    @property
    def off(self) -> float | None:
        """How far the measured value lies from what a report says, in stated errors; None where none is stated."""
        stated, between = self.forecast.stated_error, self.forecast.stated_interval
        if between is None:
            return None if stated is None else abs(self.longer) / stated
        low, high = between
        return abs(self.longer - (low + high) / 2) / ((high - low) / 2)

    @property
    def within(self) -> bool | None:
        """Whether the measured value lies within the stated error; None where none is stated."""
        return None if self.off is None else self.off <= 1


@dataclass(frozen=True)
class Refused:
    """A row without a prediction."""

    row: Row
    reason: str
    custom: bool = False
    """Whether a custom kernel is the reason, which no prediction of ours can be of."""

    @property
    def kind(self) -> str:
        """The class that the name of the op belongs to."""
        return _of_arch(class_of(self.row) or "no class", self.row)

    @property
    def measured_us(self) -> float:
        """The measured time of all calls; 0 where the row gives none."""
        return (self.row.time_us or 0.0) * self.row.said.calls


def _of_arch(kind: str, row: Row) -> str:
    return f"{kind}, Blackhole" if row.blackhole else kind


def express_all(rows: Iterable[Row], chip: ChipDesc) -> tuple[list[Expressed], list[Refused]]:
    """The rows that can be expressed, and the reasons why others cannot."""
    good: list[Expressed] = []
    left: list[Refused] = []
    taken = list(rows)
    for row, of in zip(taken, chips_of(taken, chip), strict=True):
        try:
            good.append(_expressed(row, of))
        except InexpressibleError as reason:
            left.append(Refused(row, str(reason), isinstance(reason, CustomKernelError)))
    return good, left


def _expressed(row: Row, chip: ChipDesc) -> Expressed:
    """The row with a prediction that is a time; raises `InexpressibleError` where there is none."""
    try:
        found = express(row, chip)
        us = found.us(chip)
    except (ValueError, ArithmeticError, LookupError, TypeError) as error:
        raise InexpressibleError(f"no prediction: {error}") from error
    if not (math.isfinite(us) and us > 0):
        raise InexpressibleError("nothing is launched, or the board lacks the link")
    return found


def judge(rows: Iterable[Expressed], chip: ChipDesc) -> list[Judged]:
    """Predictions beside measurements."""
    taken = list(rows)
    chips = chips_of((row.row for row in taken), chip)
    return [Judged(row, row.forecast(of)) for row, of in zip(taken, chips, strict=True)]
