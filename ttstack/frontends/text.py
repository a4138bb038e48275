"""TTIR and other dialects as text, tt-mlir's spellings included."""

import re
from collections import Counter
from collections.abc import Sequence

from ttstack.diagnostics import Diagnostic, InvalidIRError, UnsupportedOpError
from ttstack.dialects.base import result_segments, segments
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.tt import TT
from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.dialects.types import DYNAMIC_SHAPE
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
        "this is what tt-mlir makes of TTIR on its way to a device; compile the TTIR that it was made of",
    ),
}
_OWN_ASSEMBLY = re.compile(r"(?:^|=)\s*((?:ttir|ttnn)\.\w+)\b(?!\s*=)")
_LINE = re.compile(r":(\d+):\d+$")


def parse(text: str, source: str = "<text>") -> ir.Module:
    """The module of `text` in the current context, verified.

    Raises:
        InvalidIRError: it does not parse, or an op is ill-formed; with the line in `source`.
        UnsupportedOpError: it does not parse, and has ops that our dialects do not define, all of them; or ops of a
            dialect that is not known at all.
    """
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
    """Let locations that MLIR gave to nameless text say which file they are in; its name need not be UTF-8."""
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
    """Let what stands in the only module of the module, as tt-mlir's for devices do, stand in the outermost one."""
    ops = list(module.body.operations)
    while len(ops) == 1 and ops[0].operation.name == "builtin.module":
        (inner,) = ops
        for op in (ops := list(inner.regions[0].blocks[0].operations)):
            op.operation.move_before(inner.operation)
        for named in inner.operation.attributes:
            module.operation.attributes[named] = inner.operation.attributes[named]
        inner.operation.erase()


def _refuse_own_assembly(error: InvalidIRError, text: str, source: str) -> None:
    """MLIR gives no place where a dialect defined from Python has no assembly."""
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
    """TTIR has none: attributes of its ops, such as the shape of a reshape, hold all extents too."""
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
    """The dialect of an error's op, attribute or type; MLIR names that of an op in quotes by its line alone."""
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
