"""Trials of a pattern on an excerpt: whether values stay the same, and whether the device is faster."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import finfo

from ttstack.diagnostics import PatternError
from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.passes.functions import body, defined_functions
from ttstack.passes.rewriting.excerpt import excerpt
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.rewriting.user_pattern import UserPattern
from ttstack.passes.ttir.queries.compile_time import Array, elements

SCALES = (0.25, 1.0, 8.0)
"""Standard deviations of the normally distributed inputs of each trial."""
TOLERANCE, ROUNDINGS = 1e-5, 4
"""Maximum relative difference of equal results, or number of roundings of their element type."""


@dataclass(frozen=True)
class Trial:
    """An excerpt before and after a pattern."""

    before: ir.Module
    after: ir.Module

    @property
    def gain_ns(self) -> float | None:
        """The predicted time saved in nanoseconds; None if the module has no device."""
        prices = Prices.of(self.before)
        if prices is None:
            return None
        return prices.sum_of(map(definition_of, _ops(self.before))) - prices.sum_of(
            map(definition_of, _ops(self.after))
        )

    def differences(self, seed: int = 0) -> Iterator["Difference"]:
        """Yield the difference of each computable result on random inputs.

        16-bit reals are also computed as float32, which shows differences that rounding hides.
        """
        wide = in_float32(self.before), in_float32(self.after)
        for before, after in ((self.before, self.after), *([wide] if str(wide[0]) != str(self.before) else [])):
            for scale in SCALES:
                for a, b in zip(_results(before, scale, seed), _results(after, scale, seed), strict=True):
                    if a is not None and b is not None:
                        yield Difference(_relative(a, b), _allowed(a.dtype), scale, _farthest(a, b))


@dataclass(frozen=True)
class Difference:
    """The largest difference of two results relative to the largest value, and the maximum that rounding explains."""

    relative: float
    allowed: float
    scale: float
    """The standard deviation of real inputs."""
    values: tuple[str, str]
    """The element that differs most, before and after."""

    @property
    def is_rounding(self) -> bool:
        """True if rounding explains the difference."""
        return self.relative <= self.allowed


def try_pattern(pattern: UserPattern, op: ir.Operation, module: ir.Module) -> Trial | None:
    """Return the pattern applied to an excerpt of an op; None if it changes nothing."""
    before = excerpt(op, module)
    after = ir.Module.parse(str(before))
    pattern.freeze(_Last()).apply(after)
    if str(after) == str(before):
        return None
    with as_diagnostics(f"pattern '{pattern.name}' ({pattern.where}) left invalid IR"):
        after.operation.verify()
    return Trial(before, after)


def check_values(pattern: UserPattern, op: ir.Operation, trial: Trial) -> None:
    """Compare results before and after on random inputs.

    Raises:
        PatternError: they differ by more than rounding, or nothing could be compared.
    """
    found = list(trial.differences())
    what = f"{op.name} at {read_location(op.location) or 'an unknown place'}"
    if not found:
        raise PatternError(
            f"pattern '{pattern.name}' cannot be tested on {what}",
            loc=pattern.where,
            hint="the runtime has no values of these ops; leave `keeps_values` out",
        )
    worst = max(found, key=lambda d: (not d.is_rounding, d.relative))
    if not worst.is_rounding:
        raise PatternError(
            f"pattern '{pattern.name}' changes values of {what}",
            loc=pattern.where,
            notes=_explanation(worst),
            hint="fix it, or leave out `keeps_values` if values are meant to change",
        )


def _explanation(found: Difference) -> tuple[str, str]:
    most, (before, after) = f"rounding explains {found.allowed:.2g}", found.values
    return (
        f"on random inputs, results differ by {found.relative:.2g} of their largest value; {most}",
        f"where inputs are normally distributed with standard deviation {found.scale:g}, {before} became {after}",
    )


def in_float32(module: ir.Module) -> ir.Module:
    """Return the module with float32 in place of 16-bit reals, with constants."""
    wide = ir.Module.parse(str(module))
    (function,) = defined_functions(wide)
    ops = body(function)
    for op in ops:
        if op.name == "ttir.constant" and _is_short(op.results[0]):
            values = read_elements(op.attributes["value"]).astype(np.float32)
            op.attributes["value"] = elements_attribute(values, TensorType(values.shape, DType.F32))
    for value in (*function.regions[0].blocks[0].arguments, *(result for op in ops for result in op.results)):
        if _is_short(value):
            value.set_type(ir.RankedTensorType.get(ir.RankedTensorType(value.type).shape, ir.F32Type.get()))
    refresh_signature(function)
    return wide


def _is_short(value: ir.Value) -> bool:
    return read_type(value.type).dtype in (DType.BF16, DType.F16)


class _Last:
    """Allows the last op of an excerpt once, as its replacement may match again."""

    def __init__(self) -> None:
        self._done = False

    def __call__(self, op: ir.Operation) -> bool:
        *_, last, _end = op.block.operations
        if self._done or last.operation != op.operation:
            return False
        self._done = True
        return True


def _ops(module: ir.Module) -> list[ir.Operation]:
    (function,) = defined_functions(module)
    return [op for op in body(function) if definition(op) is not None]


def _results(module: ir.Module, scale: float, seed: int) -> list[Array | None]:
    """Compute results on random arguments; integers are small, and 0 or 1 for ops with constraints, such as indices."""
    (function,) = defined_functions(module)
    *_, last = body(function)
    for bound in (8, 2):
        facts = elements(given=lambda a, bound=bound: _random(read_type(a.type), scale, bound, seed + a.arg_number))
        found = [facts.about(value) for value in last.operands]
        if all(value is not None for value in found):
            return found
    return found


def _random(t: TensorType, scale: float, bound: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    if t.dtype.is_float:
        return (scale * rng.standard_normal(t.shape)).astype(t.dtype.numpy)
    return rng.integers(0, 2 if t.dtype is DType.I1 else bound, t.shape).astype(t.dtype.numpy)


def _relative(a: Array, b: Array) -> float:
    """Return the largest difference relative to the largest value; equal infinities and NaNs are equal."""
    with np.errstate(all="ignore"):
        return _largest(a.astype(np.float64), b.astype(np.float64))


def _largest(x: Array, y: Array) -> float:
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if same.all():
        return 0.0
    if not np.isfinite(x[~same]).all() or not np.isfinite(y[~same]).all():
        return np.inf
    largest = np.abs(x[np.isfinite(x)]).max(initial=0.0)
    return float(np.abs(x - y)[~same].max() / largest) if largest else np.inf


def _farthest(a: Array, b: Array) -> tuple[str, str]:
    """Return the element that differs most, before and after; non-finite numbers come first."""
    x, y = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        apart = np.where(same, -1.0, np.nan_to_num(np.abs(x - y), nan=np.inf))
    place = int(apart.argmax()) if apart.size else None
    return ("nothing", "nothing") if place is None else (f"{x[place]:.4g}", f"{y[place]:.4g}")


def _allowed(dtype: np.dtype[Any]) -> float:
    return max(TOLERANCE, ROUNDINGS * float(finfo(dtype).eps)) if dtype.kind in "fV" else 0.0
