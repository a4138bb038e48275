"""Conversion of a source dialect to TTIR; all unsupported ops are reported together."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.source_op import SourceOp
from ttstack.frontends.conversion.table import C, ConversionRule
from ttstack.frontends.unsupported import unsupported_error
from ttstack.mlir import PassManager, func, ir, rewrite

_CLEANUP = "builtin.module(canonicalize,cse)"
_OURS = "the op is of a form that ttstack does not know; report it, with the op's text"
_REFUSED = "ttstack.refused"
"""The attribute of placeholder results of a rejected op."""


@dataclass(frozen=True)
class SourceDialect(Generic[C]):
    """The properties of a source dialect that the driver needs."""

    conversions: Mapping[str, ConversionRule[C]]
    call: type[C]
    prefixes: tuple[str, ...]
    """Prefixes of its op names; ops without a conversion are reported."""
    kept: tuple[str, ...] = ()
    """Prefixes of ops that conversions read and that are unused afterwards, such as constants."""
    generic: tuple[str, ...] = ()
    """MLIR names of ops that stand for several, distinguished by `call.name_of`."""
    casts: tuple[str, ...] = ()
    """Ops that only cast a value to a type of the dialect."""
    convert_type: Callable[[ir.Type], ir.Type] = lambda t: t
    reasons: Mapping[str, str] = field(default_factory=dict[str, str])
    """The reason, and a workaround, for ops without a conversion."""


def convert(module: ir.Module, source: SourceDialect[C]) -> None:
    """Convert every function of the module in place; arguments and results must have builtin types.

    Raises:
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    driver = _Driver(source)
    driver.run(module)
    if driver.refusals:
        raise _together(driver.refusals)
    PassManager.parse(_CLEANUP).run(module.operation)


def check(functions: Iterable[func.FuncOp], source: SourceDialect[C]) -> None:
    """Check that every op of every function has a conversion; conversions check the ops in regions.

    Raises:
        UnsupportedOpError: lists all ops without one, how often each occurs, and where first.
    """
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    for op in (op for function in functions for block in function.regions[0].blocks for op in block.operations):
        name = source.call.name_of(op.operation)
        known = name in source.conversions or name.startswith((*source.kept, *source.casts))
        if name.startswith(source.prefixes) and not known:
            found[name] += 1
            first.setdefault(name, read_location(op.location))
    if found:
        raise unsupported_error(found, first, source.conversions, source.reasons)


class _Driver(Generic[C]):
    """Patterns and types of one run; keeps the callbacks alive, to which the bindings hold no reference."""

    def __init__(self, source: SourceDialect[C]) -> None:
        self.refusals: list[UnsupportedOpError] = []
        self._source = source
        self._types = rewrite.TypeConverter()
        self._types.add_conversion(source.convert_type)
        self._patterns = rewrite.RewritePatternSet()
        self._target = rewrite.ConversionTarget()
        for names, pattern in (
            ((*source.conversions, *source.generic), self._rewrite),
            (source.casts, self._drop),
        ):
            for name in names:
                self._patterns.add_conversion(name, pattern, self._types)
                self._target.add_illegal_op(name)

    def run(self, module: ir.Module) -> None:
        config = rewrite.ConversionConfig()
        rewrite.apply_partial_conversion(module.operation, self._target, self._patterns.freeze(), config)

    def _rewrite(
        self, op: ir.OpView, adaptor: ir.OpAdaptor, _types: rewrite.TypeConverter, rewriter: rewrite.PatternRewriter
    ) -> None:
        call = self._source.call(op.operation, list(adaptor.operands))
        with rewriter.ip, op.location:
            new = self._convert(call)
        rewriter.replace_op(op, new) if new else rewriter.erase_op(op)

    def _drop(
        self, op: ir.OpView, adaptor: ir.OpAdaptor, _types: rewrite.TypeConverter, rewriter: rewrite.PatternRewriter
    ) -> None:
        rewriter.replace_op(op, list(adaptor.operands))

    def _convert(self, call: C) -> list[ir.Value]:
        if any(_is_refused(value) for value in call.operands):
            return self._refused(call)
        try:
            values = self._source.conversions[call.name].apply(call)
        except UnsupportedOpError as e:
            self.refusals.append(e)
            return self._refused(call)
        except ValueError as e:
            return self._refuse(call, f"`{call.name}`: {e}")
        except (ArithmeticError, LookupError) as e:
            return self._refuse(
                call, f"`{call.name}` is of a form that has no conversion: {type(e).__name__}: {e}", _OURS
            )
        why = _misfit(call, values)
        return self._refuse(call, f"`{call.name}` {why}", _OURS) if why else values

    def _refuse(self, call: C, why: str, hint: str | None = None) -> list[ir.Value]:
        self.refusals.append(UnsupportedOpError(why, loc=read_location(call.op.location) or None, hint=hint))
        return self._refused(call)

    def _refused(self, call: C) -> list[ir.Value]:
        """Return placeholder results, so that the remaining ops can be checked too."""
        types = [self._source.convert_type(r.type) for r in call.op.results]
        attributes: dict[str, ir.Attribute] = {_REFUSED: ir.UnitAttr.get()}
        op = ir.Operation.create("builtin.unrealized_conversion_cast", results=types, attributes=attributes)
        return list(op.results)


def _misfit(call: SourceOp, values: Sequence[ir.Value]) -> str | None:
    """Return the reason why values cannot replace the results of an op, or None."""
    if len(values) != len(call.results):
        return f"has {len(call.results)} results, what it becomes has {len(values)}"
    for i, (value, wanted) in enumerate(zip(values, call.results, strict=True)):
        if wanted is not None and call.is_used(i) and read_type(value.type) != wanted:
            return f"becomes {value.type}, its result {i} is {wanted}"
    return None


def _is_refused(value: ir.Value) -> bool:
    op = defining_op(value)
    return op is not None and _REFUSED in op.attributes


def _together(refusals: Sequence[UnsupportedOpError]) -> UnsupportedOpError:
    """Return one error for all; its hint is the first one."""
    if len(refusals) == 1:
        return refusals[0]
    found = [refusal.diagnostic for refusal in refusals]
    notes = tuple(f"{d.message}{f', at {d.loc}' if d.loc else ''}" for d in found)
    hint = next((d.hint for d in found if d.hint), None)
    return UnsupportedOpError(f"{len(found)} ops cannot be compiled in the form that they have", notes=notes, hint=hint)
