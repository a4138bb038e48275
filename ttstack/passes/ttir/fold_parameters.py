"""Compute at compile time what depends on parameters alone: the results are new parameters."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import chain, count
from typing import Any

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import describe, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.dialects.signature import erase_unused_parameters, insert_parameters, read_arguments
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions, refresh_signature
from ttstack.passes.ttir.compile_time import is_computable
from ttstack.passes.weights import Array
from ttstack.program.records import TensorKind
from ttstack_runtime.evaluate import evaluate


class FoldParameters(ParameterPass, name="fold-parameters"):
    """Ops on parameters and constants become parameters, where they do not take more bytes than those they are made of.

    What depends on a parameter that was only described is only described.
    """

    max_bytes: int = 1 << 28
    """Larger results stay computed on the device."""

    def run(self, module: ir.Module) -> None:
        """Fold in every function."""
        taken = {a.name for function in functions(module) for a in read_arguments(function)} | {*self._weights.arrays}
        for function in functions(module):
            self._fold(function, taken)

    def _fold(self, function: func.FuncOp, taken: set[str]) -> None:
        known = _known(function)
        found = [op for op in body(function) if any(r in known for r in op.results) and self._pays(op, known)]
        names = [argument.name for argument in read_arguments(function)]
        replaced = {names[leaf.arg_number] for op in found for leaf in known[op.results[0]]}
        for op in found:
            self._replace(function, op, known[op.results[0]], taken)
        if found:
            _erase_unused(function)
            erase_unused_parameters(function, replaced)
            refresh_signature(function)

    def _pays(self, op: ir.Operation, known: "Known") -> bool:
        """Whether an op that is not known reads it, and it takes no more bytes than the parameters it is made of."""
        (value,) = op.results
        readers = [use.owner for use in value.uses]
        read = any(not any(r in known for r in reader.results) for reader in readers)
        returned = any(reader.name == "func.return" for reader in readers)
        if not read or returned or not known[value] or _views_argument(op):
            return False
        held = sum(read_type(leaf.type).nbytes for leaf in known[value])
        return read_type(value.type).nbytes <= min(held, self.max_bytes)

    def _replace(self, function: func.FuncOp, op: ir.Operation, leaves: frozenset[Any], taken: set[str]) -> None:
        names = [argument.name for argument in read_arguments(function)]
        largest = max(sorted(leaves, key=lambda leaf: leaf.arg_number), key=lambda leaf: read_type(leaf.type).nbytes)
        name = _free(f"{names[largest.arg_number]}.folded", taken)
        taken.add(name)
        value = self._value(op.results[0], names, {})
        if value is not None:
            self._weights.arrays[name] = value
        (parameter,) = insert_parameters(function, [name], [op.results[0].type])
        op.results[0].replace_all_uses_with(parameter)

    def _value(self, value: Any, names: list[str], found: dict[ir.Value, Array | None]) -> Array | None:
        """None where it depends on what was only described; `found` takes every value that it depends on."""
        if value not in found:
            found[value] = self._evaluate(value, names, found)
        return found[value]

    def _evaluate(self, value: Any, names: list[str], found: dict[ir.Value, Array | None]) -> Array | None:
        owner: Any = value.owner
        if isinstance(owner, ir.Block):
            return self._weights.arrays.get(names[value.arg_number])
        if owner.name == "ttir.constant":
            return read_elements(owner.attributes["value"])
        operands = [self._value(v, names, found) for v in owner.operands]
        if any(operand is None for operand in operands):
            return None
        definition = describe(owner)
        present = iter(operands)
        places = [None if v is None else next(present) for v in operands_by_place(type(definition), owner)]
        return evaluate(definition, places)[0]


Known = Mapping[ir.Value, frozenset[Any]]
"""For each value that is known, the parameters that it depends on."""


def _known(function: func.FuncOp) -> Known:
    block = function.regions[0].blocks[0]
    kinds = [argument.kind for argument in read_arguments(function)]
    fixed = [a for a, kind in zip(block.arguments, kinds, strict=True) if kind is TensorKind.PARAMETER]
    found = {a: frozenset([a]) for a in fixed if not is_overwritten(a)}
    for op in body(function):
        if is_computable(op) and all(v in found for v in op.operands):
            found[op.results[0]] = frozenset[Any]().union(*(found[v] for v in op.operands))
    return {value: leaves for value, leaves in found.items() if not isinstance(value.owner, ir.Block)}


def _views_argument(op: ir.Operation) -> bool:
    """Whether the op is a parameter under another shape, which takes no time."""
    return isinstance(op.operands[0].owner, ir.Block) and is_view(describe(op)) if len(op.operands) else False


def _free(name: str, taken: AbstractSet[str]) -> str:
    return next(n for n in chain([name], (f"{name}{i}" for i in count(2))) if n not in taken)


def _erase_unused(function: func.FuncOp) -> None:
    """Take away what only the folded ops read."""
    for op in reversed(body(function)):
        if is_computable(op) and not list(op.results[0].uses):
            op.erase()
