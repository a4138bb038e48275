"""Patterns in PDL, MLIR's pattern dialect, which MLIR's interpreter applies."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import inf
from pathlib import Path

from ttstack.diagnostics import PatternError
from ttstack.dialects.base import SEGMENTS
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.context import as_diagnostics, new_context
from ttstack.dialects.location import read_location
from ttstack.frontends.readers.sound import check_nesting
from ttstack.mlir import ir, rewrite
from ttstack.ops import OPS
from ttstack.ops.fields import Arity
from ttstack.passes.rewriting.constraints import CONSTRAINTS
from ttstack.passes.rewriting.user_pattern import Allows, Applied, Conditions, Constraint, DriverPatterns, UserPattern
from ttstack.support.files import why_unread
from ttstack.support.isolation import isolates, limits_for, run_isolated
from ttstack.support.suggestion import did_you_mean

KEEPS_VALUES, IF_FASTER = "ttstack.keeps_values", "ttstack.if_faster"
"""Attributes of a `pdl.pattern`."""
_CLAIMS = (KEEPS_VALUES, IF_FASTER)
_ALLOWS = "ttstack.allows"
_REPLACE, _ERASE = "pdl.replace", "pdl.erase"
_CONSTRAINT, _REWRITE, _OPERATION = "pdl.apply_native_constraint", "pdl.rewrite", "pdl.operation"


@dataclass(frozen=True, kw_only=True)
class PDLPattern(UserPattern):
    """One `pdl.pattern` of a file."""

    text: str

    def freeze(self, allows: Allows, applied: Applied = lambda _: None) -> DriverPatterns:
        """Return the pattern with an additional constraint that `allows` its root."""

        def last_of(op: ir.Operation) -> bool:
            if holds := allows(op):
                applied(op.operation)
            return holds

        module = ir.Module.parse(self.text)
        (pattern,) = module.body.operations
        *_, last = pattern.operation.regions[0].blocks[0].operations
        with insert_before(last):
            name, negated = ir.StringAttr.get(_ALLOWS), ir.BoolAttr.get(False)
            ir.Operation.create(
                _CONSTRAINT, operands=[last.operands[0]], attributes={"name": name, "isNegated": negated}
            )
        pdl = rewrite.PDLModule(module)
        for name, holds in {**{n: self._checked(n, c) for n, c in CONSTRAINTS.items()}, _ALLOWS: last_of}.items():
            # MLIR takes what is false for a match, as of patterns
            pdl.register_constraint_function(name, lambda _rewriter, _results, values, holds=holds: not holds(*values))
        return DriverPatterns(pdl.freeze(), holds=(module, pdl))

    def _checked(self, name: str, holds: Constraint) -> Constraint:
        """Return the constraint with a check of its arguments that explains its signature."""

        def checked(*values: object) -> bool:
            try:
                return holds(*values)
            except (TypeError, ValueError, AttributeError) as e:
                hint = f"ask {name}({', '.join(signature(holds).parameters)}): {(holds.__doc__ or '').splitlines()[0]}"
                raise PatternError(f"pattern '{self.name}' asks {name} wrongly: {e}", loc=self.where, hint=hint) from e

        return checked


def read_pdl(path: Path) -> list[PDLPattern]:
    """Read the patterns of a file in a child process, as MLIR crashes on some texts.

    Raises:
        InvalidIRError: the file does not parse.
        PatternError: ops or constraints are unknown, or a rewrite has no root; lists all errors.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise PatternError(f"cannot read '{path}': {why_unread(e)}") from e
    check_nesting(text, str(path))
    read = partial(_read, text, path)
    return run_isolated(read, f"'{path}'", limits_for(len(text))) if isolates() else read()


def _read(text: str, path: Path) -> list[PDLPattern]:
    with new_context(), ir.Location.unknown(), as_diagnostics(f"cannot read the patterns of '{path}'", str(path)):
        module = ir.Module.parse(text)
        patterns = [op.operation for op in module.body.operations]
        if faults := [fault for op in patterns for fault in _faults(op, str(path))]:
            raise PatternError(f"'{path}' has patterns that cannot be applied", notes=tuple(faults))
        found = [_pattern(op, path) for op in patterns]
        for pattern in found:
            pattern.freeze(lambda _: False)
        return found


def _pattern(op: ir.Operation, path: Path) -> PDLPattern:
    attributes = op.attributes
    name = ir.StringAttr(attributes["sym_name"]).value if "sym_name" in attributes else path.stem
    benefit = ir.IntegerAttr(attributes["benefit"]).value
    conditions = Conditions(benefit, KEEPS_VALUES in attributes, IF_FASTER in attributes)
    return PDLPattern(name, read_location(op.location, str(path)), conditions, text=str(op))


def _faults(pattern: ir.Operation, source: str) -> Iterator[str]:
    """Yield the errors that would crash the interpreter, or make a pattern that never matches."""
    if pattern.name != "pdl.pattern":
        yield f"{read_location(pattern.location, source)}: {pattern.name} is not a pdl.pattern"
        return
    for op in (pattern, *_all_ops(pattern)):
        check = _CHECKS.get(op.name)
        for fault in check(op) if check else ():
            yield f"{read_location(op.location, source)}: {fault}"


def _claim_faults(op: ir.Operation) -> Iterator[str]:
    for name in op.attributes:
        if name.startswith("ttstack.") and name not in _CLAIMS:
            yield f"a pattern has no attribute '{name}'; {_hint(name, _CLAIMS)}"


def _rewrite_faults(op: ir.Operation) -> Iterator[str]:
    if not any(str(v.type) == "!pdl.operation" for v in op.operands):
        yield "write `pdl.rewrite %op`: which op is replaced"
    if "name" in op.attributes:
        yield "pdl.rewrite cannot call functions; write its ops between braces"
    gone = [inner for inner in _all_ops(op) if inner.name in (_REPLACE, _ERASE)]
    targets = [inner.operands[0] for inner in gone]
    if any(targets.count(target) > 1 for target in targets):
        yield "an op is replaced or erased twice; one `pdl.replace` is enough, the op goes with it"
    elif any(inner.name == _ERASE and inner.operands[0] in list(op.operands) for inner in gone):
        yield "the op to replace is erased, but its results may have uses; write `pdl.replace`"


def _replace_faults(op: ir.Operation) -> Iterator[str]:
    replaced = op.operands[0]
    results = _count(replaced.owner.operation, "type") if isinstance(replaced.owner, ir.OpView) else None
    given = _count(op, "value")
    if results and given and results != given:
        yield f"{given} values replace an op of {results} {'result' if results == 1 else 'results'}"


def _count(op: ir.Operation, kind: str) -> int | None:
    """Return the number of operands of a kind, such as values; None if some are ranges."""
    kinds = [str(v.type) for v in op.operands]
    return None if f"!pdl.range<{kind}>" in kinds else kinds.count(f"!pdl.{kind}")


def _constraint_faults(op: ir.Operation) -> Iterator[str]:
    if (name := _text(op.attributes["name"])) not in CONSTRAINTS:
        yield f"there is no constraint '{name}'; {_hint(name, CONSTRAINTS)}"


def _native_faults(op: ir.Operation) -> Iterator[str]:
    yield f"there is no function '{_text(op.attributes['name'])}' for {op.name}, and no other"


def _operation_faults(op: ir.Operation) -> Iterator[str]:
    if "opName" not in op.attributes:
        return
    name = _text(op.attributes["opName"])
    spec = OPS.get(name.removeprefix("ttir."))
    if spec is None or not name.startswith("ttir."):
        yield f"there is no op '{name}'; {f'write ttir.{name}' if spec else _hint(name.removeprefix('ttir.'), OPS)}"
        return
    places = spec.operand_specs().values()
    least, most = sum(a is Arity.ONE for a in places), inf if Arity.VARIADIC in places else len(places)
    if (count := _count(op, "value")) and not least <= count <= most:
        yield f"{name} is given {count} operands, and takes {least if least == most else f'{least} to {most}'}"
    known = [*spec.attribute_specs(), SEGMENTS]
    for attribute in map(_text, ir.ArrayAttr(op.attributes["attributeValueNames"])):
        if attribute not in known:
            yield f"{name} has no attribute '{attribute}'; {_hint(attribute, spec.attribute_specs())}"


def _hint(name: str, known: Collection[str]) -> str:
    few = f"there are {', '.join(known) or 'none'}" if len(known) < len(OPS) else "the page on ops lists them"
    return did_you_mean(name, known) or few


def _text(attribute: ir.Attribute) -> str:
    return ir.StringAttr(attribute).value


_CHECKS = {
    "pdl.pattern": _claim_faults,
    _REWRITE: _rewrite_faults,
    _REPLACE: _replace_faults,
    _CONSTRAINT: _constraint_faults,
    "pdl.apply_native_rewrite": _native_faults,
    _OPERATION: _operation_faults,
}


def _all_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from _all_ops(inner.operation)
