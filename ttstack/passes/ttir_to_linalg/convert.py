"""Conversion of a `ttir` function to `linalg` on tensors, op by op."""

from collections import Counter
from collections.abc import Sequence

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import read_arguments, read_results
from ttstack.dialects.ttir.destination import destination
from ttstack.dialects.types import read_type
from ttstack.frontends.unsupported import unsupported_error
from ttstack.mlir import func, ir
from ttstack.ops.base import Op
from ttstack.passes.cpu.interface import INTERFACE, FunctionInterface, NamedTensor
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir_to_linalg import table
from ttstack.passes.ttir_to_linalg.checks import Checks, collect
from ttstack.passes.ttir_to_linalg.tensors import Dense, memory_type, of

_PREFIX = "model."
"""A prefix of function names before C, to avoid names of the C library such as `free`."""

_WRITABLE = "bufferization.writable"
"""The argument attribute that states whether its memory, which the caller owns, is writable."""


def check_lowerings(module: ir.Module) -> None:
    """Check that every op of every public function has a lowering.

    Raises:
        UnsupportedOpError: lists all ops without one, how often each occurs, and where first.
    """
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    for function in functions(module):
        *ops, _ = body(function)
        for op in ops:
            if table.find(op.name.partition(".")[2]) is None:
                found[op.name] += 1
                first.setdefault(op.name, read_location(op.location))
        _check_elements(function)
    if found:
        known = [f"ttir.{name}" for name in table.mnemonics()]
        raise unsupported_error(found, first, known, dict.fromkeys(found, "it has no lowering for processors"))


def _check_elements(function: func.FuncOp) -> None:
    """Raise `InvalidIRError` if an argument or result has no elements, which C pointers do not support."""
    kinds = (("argument", function.type.inputs), ("result", function.type.results))
    empty = [f"{kind} {i} is {t}" for kind, types in kinds for i, t in enumerate(types) if not read_type(t).size]
    if empty:
        name = function.name.value
        raise InvalidIRError(f"function '{name}' takes or gives tensors without elements", notes=tuple(empty))


def convert(function: func.FuncOp) -> None:
    """Replace the function by its lowered form."""
    *ops, last = body(function)
    arguments = list(function.regions[0].blocks[0].arguments)
    types = [read_type(a.type) for a in arguments]
    with insert_before(function):
        made = func.FuncOp(f"{_PREFIX}{function.name.value}", ([memory_type(t) for t in types], []))
    made.arg_attrs = [ir.DictAttr.get({_WRITABLE: ir.BoolAttr.get(False)})] * len(types)
    block = made.add_entry_block()
    values = {a: of(v, t) for a, v, t in zip(arguments, block.arguments, types, strict=True)}
    with ir.InsertionPoint(block), collect() as checks:
        walk = _FunctionWalk(values, checks)
        for number, op in enumerate(ops, 1):
            checks.number = number
            walk.lower(op)
        with last.location:
            anew = {i: walk.updated[i].reshape(*types[i].shape) for i in sorted(walk.updated)}
            results = [*(values[v] for v in last.operands), *anew.values(), checks.code()]
            func.ReturnOp([r.value for r in results])
    kinds = ir.FunctionType.get([a.type for a in block.arguments], [r.value.type for r in results])
    made.attributes["function_type"] = ir.TypeAttr.get(kinds)
    checked = {number: ops[number - 1].name for number, _ in checks.found}
    made.attributes[INTERFACE] = ir.StringAttr.get(_interface(function, list(anew), checked).to_json())
    function.erase()


def _interface(function: func.FuncOp, updated: list[int], checked: dict[int, str]) -> FunctionInterface:
    *_, last = body(function)
    signatures = read_arguments(function)
    types = [read_type(a.type) for a in function.regions[0].blocks[0].arguments]
    arguments = [NamedTensor(s.name, str(s.kind), t) for s, t in zip(signatures, types, strict=True)]
    names = read_results(function, len(last.operands))
    results = [NamedTensor(n, "output", read_type(v.type)) for n, v in zip(names, last.operands, strict=True)]
    return FunctionInterface(function.name.value, tuple(arguments), tuple(results), tuple(updated), checked)


class _FunctionWalk:
    """The values of a function during its conversion."""

    def __init__(self, values: dict[ir.Value, Dense], checks: Checks) -> None:
        self._values = values
        self._checks = checks
        self._roots = {v: i for i, v in enumerate(values)}
        self.updated: dict[int, Dense] = {}
        """Arguments that were written to, by number."""

    def lower(self, op: ir.Operation) -> None:
        """Add the values of an op's results."""
        definition, place = definition_of(op), destination(op)
        lower = table.find(definition.mnemonic)
        assert lower is not None, op.name
        with op.location:
            given = table.operands_of(definition, [self._values[v] for v in op.operands])
            made = lower(definition, *given)
        results = made if isinstance(made, tuple) else (made,)
        self._settle(op, definition, results, place)

    def _settle(self, op: ir.Operation, definition: Op, results: Sequence[Dense], place: ir.Value | None) -> None:
        self._values |= dict(zip(op.results, results, strict=False))
        source = place if place is not None else op.operands[0] if definition.keeps_order else None
        root = None if source is None else self._roots.get(source)
        if root is None:
            return
        self._roots |= dict.fromkeys(op.results, root)
        if place is not None:
            self.updated[root] = results[0]
