"""User patterns: root, conditions and source location."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ttstack.mlir import ir, rewrite
from ttstack.passes.rewriting.pattern import MOST_REWRITES, SWEEPS, drive

Allows = Callable[[ir.Operation], bool]
"""Returns True if a pattern may replace an op."""
Applied = Callable[[ir.Operation], object]
"""Called each time that a pattern is applied."""


@dataclass(frozen=True)
class Conditions:
    """The options of a pattern."""

    benefit: int = 1
    """The pattern with the larger one is tried first."""
    keeps_values: bool = False
    """Whether it claims to keep values, which `--verify-patterns` tests."""
    if_faster: bool = False
    """Whether it is used only if the cost model predicts a faster program."""


@dataclass(frozen=True)
class UserPattern(ABC):
    """One rewrite: from an op, its root, to the values that replace its results."""

    name: str
    where: str
    """File and line."""
    conditions: Conditions = field(default_factory=Conditions)

    @abstractmethod
    def freeze(self, allows: Allows, applied: Applied = lambda _: None) -> "DriverPatterns":
        """Return the pattern for MLIR's driver, in the current context.

        It is restricted to the ops that `allows` accepts, and calls `applied` each time.
        """


@dataclass(frozen=True)
class DriverPatterns:
    """A pattern for MLIR's driver, with the objects that it keeps alive."""

    patterns: rewrite.FrozenRewritePatternSet
    holds: object = None

    def apply(self, module: ir.Module) -> bool:
        """Rewrite the module until the pattern matches no op; return False if it has no end."""
        return drive(module, self.patterns, sweeps=SWEEPS, rewrites=MOST_REWRITES)


Constraint = Callable[..., bool]
"""Returns True if matched values, ops, types and attributes satisfy a constraint of a PDL pattern."""

Constraints = Mapping[str, Constraint]
