"""Patterns in PDL, MLIR's own dialect of patterns, which MLIR's interpreter applies."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ttstack.context import as_diagnostics, new_context
from ttstack.diagnostics import PatternError
from ttstack.dialects.location import read_location
from ttstack.frontends.readers.sound import check_nesting
from ttstack.isolation import isolates, limits_for, run_isolated
from ttstack.mlir import ir, rewrite
from ttstack.ops import OPS
from ttstack.passes.user_patterns.constraints import CONSTRAINTS
from ttstack.passes.user_patterns.pattern import Allows, Conditions, DriverPatterns, UserPattern
from ttstack.suggestion import did_you_mean

KEEPS_VALUES, IF_FASTER = "ttstack.keeps_values", "ttstack.if_faster"
"""Attributes of a `pdl.pattern`."""
_ALLOWS = "ttstack.allows"
_CONSTRAINT, _REWRITE, _OPERATION = "pdl.apply_native_constraint", "pdl.rewrite", "pdl.operation"


@dataclass(frozen=True, kw_only=True)
class PDLPattern(UserPattern):
    """One `pdl.pattern` of a file."""

    text: str

    def freeze(self, allows: Allows) -> DriverPatterns:
        """The pattern, whose last constraint is that its root is allowed."""
        module = ir.Module.parse(self.text)
        (pattern,) = module.body.operations
        *_, last = pattern.operation.regions[0].blocks[0].operations
        with ir.InsertionPoint(last), last.location:
            name, negated = ir.StringAttr.get(_ALLOWS), ir.BoolAttr.get(False)
            ir.Operation.create(
                _CONSTRAINT, operands=[last.operands[0]], attributes={"name": name, "isNegated": negated}
            )
        pdl = rewrite.PDLModule(module)
        for name, holds in {**CONSTRAINTS, _ALLOWS: allows}.items():
            # MLIR takes what is false for a match, as of patterns
            pdl.register_constraint_function(name, lambda _rewriter, _results, values, holds=holds: not holds(*values))
        return DriverPatterns(pdl.freeze(), holds=(module, pdl))


def read_pdl(path: Path) -> list[PDLPattern]:
    """The patterns of a file, which is read and prepared in a child process: MLIR does not survive every text.

    Raises:
        InvalidIRError: it does not parse.
        PatternError: it has ops or constraints that there are not, or a rewrite that does not say of what; all of them.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise PatternError(f"cannot read '{path}': {e}") from e
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
    """What the interpreter would not survive, or would take for a pattern that never matches."""
    if pattern.name != "pdl.pattern":
        yield f"{read_location(pattern.location, source)}: {pattern.name} is no pdl.pattern"
        return
    for op in _all_ops(pattern):
        place = read_location(op.location, source)
        if op.name == _REWRITE and not any(str(v.type) == "!pdl.operation" for v in op.operands):
            yield f"{place}: write `pdl.rewrite %op`: which op is replaced"
        elif op.name in (_CONSTRAINT, "pdl.apply_native_rewrite"):
            name = ir.StringAttr(op.attributes["name"]).value
            known = CONSTRAINTS if op.name == _CONSTRAINT else {}
            if name not in known:
                hint = did_you_mean(name, known) or f"there are {', '.join(known) or 'none'}"
                yield f"{place}: there is no function '{name}' for {op.name}; {hint}"
        elif op.name == _OPERATION and "opName" in op.attributes:
            name = ir.StringAttr(op.attributes["opName"]).value
            mnemonic = name.removeprefix("ttir.")
            if mnemonic not in OPS:
                yield f"{place}: there is no op '{name}'; {did_you_mean(mnemonic, OPS)}".removesuffix("; ")


def _all_ops(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from _all_ops(inner.operation)
