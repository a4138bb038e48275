"""Fusion of a residual addition into the norm after it, whose kernel supports it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ttstack.dialects.base import definition, definition_of, operands_by_place
from ttstack.dialects.op_groups import clone_ops, in_block_order
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.normalization import LayerNorm, RmsNorm, TrailingNorm
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import Pattern, apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import find_producer, is_shared

_INPUT, _RESIDUAL = 0, 3
_LEAST_SHARE_SAVED = 0.001
"""The minimum share of the predicted time to save; less than for other rewrites, as neighbours are priced too."""


class FuseResidualIntoNorm(Pass, name="fuse-residual-into-norm", optional=True, stage=Stage.KERNELS):
    """Fuse the addition of a residual into the norm after it, if predicted to be faster.

    Both are priced together with the ops before and after them, as sharding depends on these. A module without a device
    is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Look at each by itself; equal ones are priced once."""
        if (prices := Prices.of(module)) is not None:
            fit: Pattern = _NormChooser(prices).fit
            apply_patterns(module, [(f"ttir.{norm.mnemonic}", fit) for norm in (LayerNorm, RmsNorm)])


_Key = tuple[Op, tuple[tuple[Op, tuple[int, ...]], ...]]
"""A norm, and the ops around it with numbers of their operands."""


@dataclass(frozen=True)
class _NormChooser:
    """Chooses a kernel for each norm with the addition before it, with a cache."""

    prices: Prices
    pays: dict[_Key, bool] = field(default_factory=dict[_Key, bool])
    """The cached choices: True if one kernel is faster."""

    def fit(self, op: ir.Operation) -> list[ir.Value] | None:
        """Return the norm with a residual; None if it has one, adds nothing, or is faster with a separate addition."""
        norm, added = definition_of(op), find_producer(op.operands[_INPUT], "add")
        assert isinstance(norm, TrailingNorm)
        if added is None or is_shared(added.results[0]) or norm.residual is not None:
            return None
        if any(read_type(v.type) != norm.input for v in added.operands) or not norm.input.dtype.is_float:
            return None
        surroundings = _Surroundings(op, norm, added)
        if (key := surroundings.key) not in self.pays:
            fused, apart = (self._predicted(surroundings, apart=apart) for apart in (False, True))
            self.pays[key] = fused <= (1 - _LEAST_SHARE_SAVED) * apart
        return [surroundings.norm_of(surroundings.operands, apart=False)] if self.pays[key] else None

    def _predicted(self, surroundings: "_Surroundings", *, apart: bool) -> float:
        """Return the nanoseconds of a program of the norm, the addition, and the ops around them."""
        inputs = surroundings.inputs
        return self.prices.of_region(
            [read_type(v.type) for v in inputs],
            lambda values: surroundings.copy(dict(zip(inputs, values, strict=True)), apart=apart),
            stored=[i for i, value in enumerate(inputs) if is_known(value)],
        )


@dataclass(frozen=True)
class _Surroundings:
    """A norm of a sum, with the producers of the summands and the users of the norm."""

    op: ir.Operation
    norm: TrailingNorm
    added: ir.Operation

    @cached_property
    def operands(self) -> list[ir.Value | None]:
        """The norm's operands with a residual, by place."""
        x, residual = self.added.operands
        rest = [*operands_by_place(type(self.norm), self.op), None, None][_INPUT + 1 : _RESIDUAL]
        return [x, *rest, residual]

    @cached_property
    def makers(self) -> list[ir.Operation]:
        """Return the producers of the two added values, and of views among these, in the order of the program."""
        return in_block_order(op for value in self.added.operands for op in _producers(value))

    @cached_property
    def readers(self) -> list[ir.Operation]:
        """Return the ops that read the norm, also through views, in the order of the program."""
        return in_block_order(_read_by(self.op.results[0]))

    @cached_property
    def inputs(self) -> list[ir.Value]:
        """The values from outside."""
        ops = [*self.makers, *self.readers]
        results = {result for op in (*ops, self.op) for result in op.results}
        read = [v for op in ops for v in op.operands] + [v for v in self.operands if v is not None]
        return [v for v in dict.fromkeys(read) if v not in results]

    @property
    def key(self) -> _Key:
        """Return the key under which its price is stored."""
        ops = [*self.makers, *self.readers]
        results = [result for op in (*ops, self.op) for result in op.results]
        values = {v: i for i, v in enumerate([*self.inputs, *results])}
        return self.norm, tuple((definition_of(op), tuple(values[v] for v in op.operands)) for op in ops)

    def copy(self, values: dict[ir.Value, ir.Value], *, apart: bool) -> list[ir.Value]:
        """Rebuild all of it at the insertion point, on `values` for its inputs; return the results used elsewhere."""
        clone_ops(self.makers, values)
        norm = self.op.results[0]
        values[norm] = self.norm_of([v and values[v] for v in self.operands], apart=apart)
        clone_ops(self.readers, values)
        returned = [norm] if any(not use.owner.operation.results for use in norm.uses) else []
        return [values[v] for v in (*returned, *(result for op in self.readers for result in op.results))]

    def norm_of(self, operands: Sequence[ir.Value | None], *, apart: bool) -> ir.Value:
        """Build the norm on operands by place, with its residual in the kernel or added before."""
        x, *affine, residual = operands
        if apart:
            assert x is not None
            assert residual is not None
            x, residual = ttir.add(x, residual), None
        return ttir.build(self.norm.mnemonic, x, *affine, residual, **self.norm.attributes())


def _producers(value: ir.Value) -> list[ir.Operation]:
    """List the producer of a value, and that of its source if it is a view."""
    op = pure_producer(value)
    return [] if op is None else [*(_producers(op.operands[0]) if op.name in VIEWS else ()), op]


def _read_by(value: ir.Value) -> Iterator[ir.Operation]:
    """Yield the ops that read a value or views of it, without the return of the function."""
    for use in value.uses:
        op = use.owner.operation
        if definition(op) is not None:
            yield op
            yield from _read_by(op.results[0]) if op.name in VIEWS else ()
