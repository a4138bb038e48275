"""`@rewrite`: creates a pass from a function, as `@pattern` does for users."""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial, update_wrapper
from types import UnionType, new_class
from typing import Any, ClassVar, Unpack, get_args, get_type_hints
from warnings import warn

from ttstack.diagnostics import TTStackWarning
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.views import View
from ttstack.mlir import func, ir
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import functions
from ttstack.passes.outcomes import APPLIED
from ttstack.passes.rewrite_log import may_rewrite, note_attempt
from ttstack.passes.rewriting.candidates import (
    Cost,
    Declined,
    GroupCandidate,
    Outcome,
    build_first,
    choose,
    replace_group,
)
from ttstack.passes.rewriting.pattern import SWEEPS, Pattern, apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import PassOrder
from ttstack.passes.weights import Weights

Function = Callable[..., Outcome] | Callable[..., Iterable[Iterable[GroupCandidate]]]
"""Takes a view of an op, and the `Context` if it has a second parameter; returns replacements of the op's results.

Alternatively, takes a function of a module, and returns, for each group of its ops, the candidates that can replace
it."""


@dataclass(frozen=True)
class Context:
    """The device and the parameters that a rewrite can use."""

    prices: Prices | None
    """None in a module without a device, which only rewrites without prices support."""
    weights: Weights


class Condition(Enum):
    """When a rewrite replaces an op that it matches."""

    ALWAYS = auto()
    IF_FASTER = auto()
    TO_FIT = auto()


class RewritePass(ParameterPass):
    """A pass that applies a Python function until it does not match."""

    takes_context: ClassVar[bool]
    condition: ClassVar["Condition"]
    placed: ClassVar[bool]
    then: ClassVar[Sequence[type["RewritePass"]]]

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint; rewrites that need prices do nothing without a device."""
        self.apply(module, Prices.of(module))

    def apply(self, module: ir.Module, prices: Prices | None) -> None:
        """Rewrite a module by the prices of a device."""
        raise NotImplementedError

    def _context(self, prices: Prices | None) -> list[Context]:
        """List the second parameter of the function if it has one."""
        return [Context(prices, self._weights)] if self.takes_context else []

    def _cost(self, prices: Prices) -> Cost:
        if not self.placed and not self.then:
            return lambda ops, _: prices.sum_of(map(definition_of, ops))
        steps = [partial(later().apply, prices=prices) for later in self.then]
        return partial(prices.of_ops, steps=steps)


class OpRewritePass(RewritePass):
    """Replaces the ops of its function's views."""

    roots: ClassVar[tuple[type[View], ...]]
    function: ClassVar[Callable[..., Outcome]]

    def apply(self, module: ir.Module, prices: Prices | None) -> None:
        """Rewrite a module by the prices of a device."""
        if prices is not None or self.condition is Condition.ALWAYS:
            apply_patterns(module, [(root.op_name, self._pattern(root, prices)) for root in self.roots])

    def _pattern(self, root: type[View], prices: Prices | None) -> Pattern:
        return update_wrapper(partial(self._replace, root, prices), self.function)

    def _replace(self, root: type[View], prices: Prices | None, op: ir.Operation) -> Sequence[ir.Value] | None:
        if self.condition is Condition.ALWAYS:
            result = build_first(self.function(root(op), *self._context(prices)))
        elif prices is None or (self.condition is Condition.TO_FIT and prices.sum_of([definition_of(op)]) < math.inf):
            return None
        else:
            result = choose(op, lambda op: self.function(root(op), *self._context(prices)), self._cost(prices))
        if isinstance(result, Declined):
            note_attempt(op, result.reason, detail=result.detail)
            return None
        return result


class GroupRewritePass(RewritePass):
    """Replaces groups of ops that its function finds in a function of a module."""

    function: ClassVar[Callable[..., Iterable[Iterable[GroupCandidate]]]]

    def apply(self, module: ir.Module, prices: Prices | None) -> None:
        """Rewrite a module by the prices of a device."""
        if prices is not None:
            for function in functions(module):
                if all(self._replace_groups(function, prices) for _ in range(SWEEPS)):
                    warn(f"rewrites do not end: '{self.name}'", TTStackWarning, stacklevel=2)

    def _replace_groups(self, function: func.FuncOp, prices: Prices) -> bool:
        """Replace each group of ops once; return False if none is replaced."""
        replaced = False
        for candidates in self.function(function, *self._context(prices)):
            if not may_rewrite():
                break
            declined = replace_group(candidates, self._cost(prices), partial(note_attempt, outcome=APPLIED))
            if declined:
                note_attempt(function.operation, declined.reason, detail=declined.detail)
            replaced |= not declined
        return replaced


def rewrite(
    name: str,
    *,
    if_faster: bool = False,
    to_fit: bool = False,
    placed: bool = False,
    optional: bool = True,
    then: Sequence[type[RewritePass]] = (),
    **order: Unpack[PassOrder],
) -> Callable[[Function], type[RewritePass]]:
    """Make a pass of a function whose first parameter is annotated with the views of the ops that it replaces.

    A function that replaces groups of ops has a `func.FuncOp` as first parameter, and yields candidates for each group.
    The function's docstring becomes that of the pass. A second parameter receives the `Context`.

    Args:
        name: The name of the pass.
        if_faster: Build all candidates in place, and keep the one with the least predicted time if it saves time.
        to_fit: The same, for ops that do not fit L1 only. Without either, keep the first candidate that can be built.
        placed: Price the ops of a candidate together instead of one by one, to account for results that stay in L1.
        optional: Whether `--without NAME` can skip the pass; programs compute the same values without it.
        then: Later rewrites that run on a candidate before it is priced.
        order: The stage of the pass, and the passes that it runs before and after.
    """

    def decorate(function: Function) -> type[RewritePass]:
        condition = Condition.IF_FASTER if if_faster else Condition.TO_FIT if to_fit else Condition.ALWAYS
        fields: dict[str, Any] = {"__doc__": function.__doc__, "__module__": function.__module__}
        title = "".join(word.capitalize() for word in name.split("-"))
        fields |= {"condition": condition, "placed": placed, "then": then}
        fields |= {"function": staticmethod(function), "takes_context": len(inspect.signature(function).parameters) > 1}
        hints = _first_hints(function)
        base = GroupRewritePass if hints == (func.FuncOp,) else OpRewritePass
        fields |= {"roots": hints} if base is OpRewritePass else {}
        settings = {"name": name, "optional": optional, **order}
        return new_class(title, (base,), settings, lambda namespace: namespace.update(fields))

    return decorate


def _first_hints(function: Callable[..., object]) -> tuple[type[object], ...]:
    """List the types that the annotation of a function's first parameter names: views of ops, or a `func.FuncOp`."""
    parameter, *_ = inspect.signature(function).parameters
    hint = get_type_hints(function)[parameter]
    return get_args(hint) if isinstance(hint, UnionType) else (hint,)
