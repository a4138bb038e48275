"""MLIR text of TTIR and other dialects, with tt-mlir's syntax."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ttstack.diagnostics import Diagnostic, InvalidIRError, UnsupportedOpError
from ttstack.dialects.base import result_segments, segments
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.text import restore_attributes, stored_attributes
from ttstack.dialects.tt import TT
from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.dialects.types import DYNAMIC_SHAPE
from ttstack.frontends.resources import cut, has_constants, inline_resources
from ttstack.frontends.ttir_compat import respell
from ttstack.frontends.unsupported import unsupported_error
from ttstack.mlir import ir
from ttstack.ops.base import MAX_RESULTS, MAX_VARIADIC, OPS
from ttstack.ops.fields import Arity

_ATTRIBUTES = frozenset(a.attr_name for a in TT.attributes)
_OP = re.compile(r'(?:^|=)\s*"?((?:ttir|ttnn)\.\w+)"?\s*\(')
_NO_DIALECT = re.compile(r"""Dialect `(\w+)' not found|[`#!]+"(\w+)"<.* created with unregistered dialect""")
_UNNAMED_DIALECT = "operation being parsed with an unregistered dialect"
_QUOTED = re.compile(r'"(\w+)\.[\w.]+"\s*\(')
_WAYS_OUT = {
    "sdy": "export with jax.config.update('jax_use_shardy_partitioner', False), or for one chip, without shardings",
    **dict.fromkeys(
        ("ttcore", "d2m", "ttmetal", "ttkernel"),
        "tt-mlir compiles TTIR to this dialect; give ttstack the TTIR instead",
    ),
}
_OWN_ASSEMBLY = re.compile(r"(?:^|=)\s*((?:ttir|ttnn)\.\w+)\b(?!\s*=)")
_LINE = re.compile(r":(\d+):\d+$")


def parse(text: str, source: str = "<text>", stored: Mapping[str, str] | None = None) -> ir.Module:
    """Parse and verify `text` in the current context.

    `stored` has the long attributes that are at the end of the text; None if the text has its end.

    Raises:
        InvalidIRError: it does not parse, or an op is ill-formed; with the line in `source`.
        UnsupportedOpError: it does not parse, and has undefined ops (lists all), or ops of an unknown dialect.
    """
    if stored is None:
        stored = stored_attributes(text)
        text = inline_resources(*cut(text)) if has_constants(text) else text
    plain = respell(text, _segments, _accepts, _ATTRIBUTES, _result_segments)
    try:
        with as_diagnostics("cannot read the module", source):
            module = ir.Module.parse(plain)
    except InvalidIRError as e:
        _refuse_unknown_ops(text, source)
        _refuse_unknown_dialect(e, text)
        _refuse_own_assembly(e, plain, source)
        _refuse_open_extents(e)
        raise
    _name_file(module, source)
    _unwrap(module)
    restore_attributes(module, stored)
    return module


def _segments(name: str, count: int, given: Sequence[int] | None) -> Sequence[int] | None:
    mnemonic = name.partition(".")[2]
    spec = OPS.get(mnemonic)
    if spec is None or mnemonic == "to_layout" or count > MAX_VARIADIC:
        return None
    if given is not None and Arity.VARIADIC not in spec.operand_specs().values():
        present = [bool(size) for size in given]
        return segments(mnemonic, present) if len(present) <= len(spec.operand_specs()) else given
    return segments(mnemonic, [True] * count)


def _result_segments(name: str, count: int) -> Sequence[int] | None:
    mnemonic = name.partition(".")[2]
    return result_segments(mnemonic, count) if mnemonic in OPS and count <= MAX_RESULTS else None


def _accepts(name: str, count: int) -> bool:
    spec = OPS.get(name.partition(".")[2])
    if spec is None:
        return False
    arities = list(spec.operand_specs().values())
    least = sum(a is Arity.ONE for a in arities)
    return count >= least if Arity.VARIADIC in arities else least <= count <= len(arities)


def _name_file(module: ir.Module, source: str) -> None:
    """Set the file name in locations of MLIR; it need not be UTF-8."""
    name = source.encode(errors="replace").decode()

    def named(location: ir.Location) -> ir.Location:
        if isinstance(location, ir.FileLineColLoc) and location.filename == "-":
            return ir.Location.file(name, location.start_line, location.start_col)
        return location

    def rename(op: ir.Operation) -> ir.WalkResult:
        op.location = named(op.location)
        for region in op.regions:
            for argument in (argument for block in region.blocks for argument in block.arguments):
                argument.set_location(named(argument.location))
        return ir.WalkResult.ADVANCE

    module.operation.walk(rename)


def _unwrap(module: ir.Module) -> None:
    """Move the contents of a nested module, such as tt-mlir's for devices, to the outermost one."""
    ops = list(module.body.operations)
    while len(ops) == 1 and ops[0].operation.name == "builtin.module":
        (inner,) = ops
        for op in (ops := list(inner.regions[0].blocks[0].operations)):
            op.operation.move_before(inner.operation)
        for named in inner.operation.attributes:
            module.operation.attributes[named] = inner.operation.attributes[named]
        inner.operation.erase()


def _refuse_own_assembly(error: InvalidIRError, text: str, source: str) -> None:
    """Raise an error with a line for an op in custom assembly, which dialects in Python do not have."""
    if error.diagnostic.loc:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if found := _OWN_ASSEMBLY.search(line.partition("//")[0]):
            raise InvalidIRError(
                f"'{found[1]}' is not in generic form",
                loc=f"{source}:{number}",
                hint=f'write "{found[1]}"(%operand) <{{attribute = value}}> : (type) -> type',
            ) from error


def _refuse_open_extents(error: InvalidIRError) -> None:
    """Raise an error for dynamic extents, which TTIR does not support."""
    if DYNAMIC_SHAPE in error.diagnostic.message:
        raise InvalidIRError(
            error.diagnostic.message,
            loc=error.diagnostic.loc,
            hint="write numbers in its text, in attributes too; or compile the StableHLO, TOSA or ONNX that it was "
            "made of, whose open extents --input and inputs= close",
        ) from error


def _refuse_unknown_dialect(error: InvalidIRError, text: str) -> None:
    if name := _unknown_dialect(error.diagnostic, text):
        raise UnsupportedOpError(
            f"the dialect '{name}' is not known here",
            loc=error.diagnostic.loc,
            hint=_WAYS_OUT.get(name, "convert the model to TTIR, or compile it from PyTorch"),
        ) from error


def _unknown_dialect(diagnostic: Diagnostic, text: str) -> str | None:
    """Return the dialect of an unknown op, attribute or type in an error, or None."""
    if found := _NO_DIALECT.search(diagnostic.message):
        return found[1] or found[2]
    line = _LINE.search(diagnostic.loc or "")
    if not line or _UNNAMED_DIALECT not in diagnostic.message:
        return None
    op = _QUOTED.search(text.splitlines()[int(line[1]) - 1])
    return op and op[1]


def _refuse_unknown_ops(text: str, source: str) -> None:
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    known = {op.OPERATION_NAME for dialect in (TTIR, TTNN) for op in dialect.operations}
    for number, line in enumerate(text.splitlines(), 1):
        for name in _OP.findall(line.partition("//")[0]):
            if name not in known:
                found[name] += 1
                first.setdefault(name, f"{source}:{number}")
    if found:
        raise unsupported_error(found, first)
