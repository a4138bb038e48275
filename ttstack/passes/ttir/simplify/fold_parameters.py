"""Compute at compile time what depends on parameters alone: the results are new parameters."""

from collections.abc import Iterator, Mapping

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import definition_of
from ttstack.dialects.signature import erase_unused_parameters, insert_parameters, read_arguments
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import OPS
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions, refresh_signature
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import Parameters, elements, erase_dead_ops, is_computable, parameters
from ttstack.passes.ttir.queries.movement_chain import MOVES, moves
from ttstack.passes.weights import free_name

_FEW_BYTES = 1 << 16
"""Results up to this may be larger than the parameters that they are made of, however much."""
_MORE_BYTES = 1 << 24
"""So may results up to this, where the ops on the way to them take longer than to read them at each use."""
_GROWTH = 1.7
"""Others may be as many times as large, which no wider element type is."""
_GROWTH_OF_PADDED = 8.0
"""Or as many times as large where they are filled up: heads of 8 elements to tiles of 32."""
_LOOKED_UP_BYTES = 1 << 26
"""Rows of a table that are looked up by constants, as biases of relative positions, may be as many bytes."""


class FoldParameters(ParameterPass, name="fold-parameters", optional=True, stage=Stage.PARAMETERS):
    """Ops on parameters and constants become parameters, where they take few bytes, or not many more than before.

    A parameter in another order takes the place of one that nothing else reads, however large: weights of experts.
    What depends on a parameter that was only described is only described.
    """

    max_bytes: int = 1 << 28
    """Larger results stay computed on the device, unless they take the place of a parameter."""

    def run(self, module: ir.Module) -> None:
        """Fold in every function."""
        used_names = {a.name for function in functions(module) for a in read_arguments(function)}
        used_names.update(self._weights.arrays)
        for function in functions(module):
            self._fold(function, used_names, Prices.of(module))

    def _fold(self, function: func.FuncOp, used_names: set[str], prices: Prices | None) -> None:
        constants = _constants(function)
        names = [argument.name for argument in read_arguments(function)]
        candidates = [
            op.results[0]
            for op in body(function)
            if any(r in constants for r in op.results) and self._pays(op, constants, prices)
        ]
        new = {v: name for v in candidates if (name := self._store(v, constants[v], names, used_names))}
        if not new:
            return
        for value, parameter in zip(
            new, insert_parameters(function, [*new.values()], [v.type for v in new]), strict=True
        ):
            value.replace_all_uses_with(parameter)
        erase_dead_ops(function)
        erase_unused_parameters(function, {names[leaf.arg_number] for value in new for leaf in constants[value]})
        refresh_signature(function)

    def _pays(self, op: ir.Operation, constants: "Constants", prices: Prices | None) -> bool:
        """Return True if an op that is not a constant reads it, and it is small or little larger than its sources."""
        (value,) = op.results
        readers = [use.owner for use in value.uses]
        read = any(not any(r in constants for r in reader.results) for reader in readers)
        returned = any(reader.name == "func.return" for reader in readers)
        if not read or returned or not len(op.operands) or _views_argument(op):
            return False
        if _replaces(value):
            return True
        leaf_bytes = sum(read_type(leaf.type).nbytes for leaf in constants[value])
        growth = _GROWTH_OF_PADDED if _fills(value) else _GROWTH
        few = _LOOKED_UP_BYTES if _looks_up(value) else _MORE_BYTES if _saves_time(value, prices) else _FEW_BYTES
        return read_type(value.type).nbytes <= min(max(leaf_bytes * growth, few), self.max_bytes)

    def _store(self, value: ir.Value, leaves: Parameters, names: list[str], used_names: set[str]) -> str | None:
        """Keep what the value is by a name of its own; None where it is no parameter, since a kernel refuses to run."""
        arrays, sources = self._weights.arrays, [names[leaf.arg_number] for leaf in leaves]
        array = elements(given=lambda argument: arrays.get(names[argument.arg_number])).about(value)
        if array is None and all(source in arrays for source in sources):
            return None
        in_order = sorted(leaves, key=lambda leaf: leaf.arg_number)
        largest = max(in_order, key=lambda leaf: read_type(leaf.type).nbytes, default=None)
        name = free_name("folded" if largest is None else f"{names[largest.arg_number]}.folded", used_names)
        used_names.add(name)
        self._weights.derive(name, sorted(sources), array)
        return name


_LOOKUP = "ttir.embedding"
_FILLING = frozenset({*MOVES, "ttir.concat", "ttir.pad", "ttir.slice_static"})
"""Moves of elements that none is repeated by."""


def _replaces(value: ir.Value) -> bool:
    """Return True if it is a parameter in another order, and the parameter has no other use."""
    chain = moves(value)
    return bool(chain) and isinstance(chain[0].operands[0], ir.BlockArgument) and all(_is_read_once(op) for op in chain)


def _is_read_once(op: ir.Operation) -> bool:
    return len(list(op.operands[0].uses)) == 1


def _looks_up(value: ir.Value) -> bool:
    """Return True if it is computed from rows that are looked up in a table."""
    return any(op.name == _LOOKUP for op in _makers(value))


def _saves_time(value: ir.Value, prices: Prices | None) -> bool:
    """Return True if what makes it takes longer than to read it as often as it is used.

    What is computed can stay in L1 for all that read it, and what is broadcast is read as it was; parameters are in
    DRAM.
    """
    if prices is None:
        return False
    t, uses = read_type(value.type), len(list(value.uses))
    makers = {op: None for op in _makers(value) if op.name != "ttir.constant"}
    return prices.sum_of(map(definition_of, makers)) > uses * prices.latency_of(OPS["abs"].on([t], {}))


def _fills(value: ir.Value) -> bool:
    """Return True if it has only elements of parameters, and padding."""
    return all(op.name in _FILLING for op in _makers(value))


def _makers(value: ir.Value) -> Iterator[ir.Operation]:
    """The ops on all ways to it."""
    todo, seen = [value], set[ir.Value]()
    while todo:
        current = todo.pop()
        if current not in seen and not isinstance(current.owner, ir.Block):
            yield current.owner.operation
            todo += current.owner.operands
        seen.add(current)


Constants = Mapping[ir.Value, Parameters]
"""For each compile-time constant, the parameters that it depends on."""


def _constants(function: func.FuncOp) -> Constants:
    deciding = parameters()
    facts = ((op.results[0], deciding.about(op.results[0])) for op in body(function) if is_computable(op))
    return {value: leaves for value, leaves in facts if leaves is not None}


def _views_argument(op: ir.Operation) -> bool:
    """Return True if the op is a no-op reshape of a parameter."""
    return isinstance(op.operands[0].owner, ir.Block) and is_view(definition_of(op)) if len(op.operands) else False
