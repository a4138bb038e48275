"""A pattern as it was read: what it replaces, and under which conditions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ttstack.mlir import ir, rewrite
from ttstack.passes.rewriting.pattern import MOST_REWRITES, SWEEPS, drive

Allows = Callable[[ir.Operation], bool]
"""Asked of an op that a pattern may replace."""


@dataclass(frozen=True)
class Conditions:
    """What a pattern says of itself beside what it matches."""

    benefit: int = 1
    """The pattern with the larger one is tried first."""
    keeps_values: bool = False
    """Whether it claims to leave values as they are, which `--verify-patterns` tests."""
    if_faster: bool = False
    """Whether it is used only where the cost model says that the device is faster for it."""


@dataclass(frozen=True)
class UserPattern(ABC):
    """One rewrite: from an op, its root, to the values that replace its results."""

    name: str
    where: str
    """File and line."""
    conditions: Conditions = field(default_factory=Conditions)

    @abstractmethod
    def freeze(self, allows: Allows) -> "DriverPatterns":
        """The pattern for MLIR's driver, in the current context; it replaces only what `allows`."""


@dataclass(frozen=True)
class DriverPatterns:
    """A pattern for MLIR's driver, with what must live as long."""

    patterns: rewrite.FrozenRewritePatternSet
    holds: object = None

    def apply(self, module: ir.Module) -> bool:
        """Rewrite the module until the pattern matches no op; return False if it has no end."""
        return drive(module, self.patterns, sweeps=SWEEPS, rewrites=MOST_REWRITES)


Constraint = Callable[..., bool]
"""Asked by a pattern in PDL of values, ops, types and attributes that it has matched."""

Constraints = Mapping[str, Constraint]
