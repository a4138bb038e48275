"""Folding of ops on parameters at compile time, into new parameters."""

import logging
from collections.abc import Iterator, Mapping

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import definition_of
from ttstack.dialects.equal_ops import op_signature
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import erase_unused_parameters, insert_parameters, read_arguments
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import OPS
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import Parameters, elements, erase_dead_ops, is_computable, parameters
from ttstack.passes.ttir.queries.movement_chain import MOVES, moves
from ttstack.support import logs
from ttstack.support.free_name import free_name

_LOG = logs.channel("folding")

_FEW_BYTES = 1 << 16
"""Results of up to this size are folded regardless of growth."""
_MORE_BYTES = 1 << 24
"""Results of up to this size are folded if computing them takes longer than reading them at each use."""
_GROWTH = 1.7
"""Maximum growth of other results, less than that of any wider element type."""
_GROWTH_OF_PADDED = 8.0
"""Maximum growth of padded results: heads of 8 elements to tiles of 32."""
_LOOKED_UP_BYTES = 1 << 26
"""Maximum size of table rows that are looked up by constants, such as relative position biases."""


class FoldParameters(ParameterPass, name="fold-parameters", optional=True, stage=(Stage.PARAMETERS, Stage.TABLES)):
    """Compute ops on parameters at compile time if the result is small, or not much larger than its inputs.

    A permuted parameter of any size replaces the original if that has no other uses, such as expert weights. Results of
    parameters without values have no values either.
    """

    max_bytes: int = 1 << 28
    """Larger results are computed on the device, unless they replace a parameter."""

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
        equal = _equal_values(function, constants)
        new = {
            v: name
            for v in dict.fromkeys(equal[v] for v in candidates)
            if (name := self._store(v, constants[v], names, used_names))
        }
        if not new:
            return
        if _LOG.isEnabledFor(logging.INFO):
            _log_folded(function, new, constants, names)
        inserted = insert_parameters(function, [*new.values()], [v.type for v in new])
        parameters = dict(zip(new, inserted, strict=True))
        for value in candidates:
            if equal[value] in parameters:
                value.replace_all_uses_with(parameters[equal[value]])
        erase_dead_ops(function)
        erase_unused_parameters(function, {names[leaf.arg_number] for value in new for leaf in constants[value]})
        refresh_signature(function)

    def _pays(self, op: ir.Operation, constants: "Constants", prices: Prices | None) -> bool:
        """Return True if a non-constant op uses the result, and it is small or not much larger than its sources."""
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
        """Store the value under a new name; return None if a kernel cannot compute it."""
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


def _log_folded(function: func.FuncOp, new: Mapping[ir.Value, str], constants: "Constants", names: list[str]) -> None:
    """Log the new parameters; with the level `debug`, the ones that each is computed from."""
    nbytes = sum(read_type(value.type).nbytes for value in new)
    _LOG.info("%s: %d new parameters, %.1f MiB", function.name.value, len(new), nbytes / 2**20)
    for value, name in new.items():
        sources = sorted(names[leaf.arg_number] for leaf in constants[value])
        _LOG.debug("%s %s from %s", name, value.type, ", ".join(sources) or "constants")


_LOOKUP = "ttir.embedding"
_FILLING = frozenset({*MOVES, "ttir.concat", "ttir.pad", "ttir.slice_static"})
"""Moves that repeat no element."""


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
    """Return True if computing the value takes longer than reading it at each use.

    Computed values can stay in L1 for all users, and broadcast values are read before the broadcast; parameters are in
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
    """Yield the ops on all paths to the value."""
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


def _equal_values(function: func.FuncOp, constants: Constants) -> Mapping[ir.Value, ir.Value]:
    """Return for each compile-time constant the first one with the same ops and parameters."""
    first: dict[ir.Value, ir.Value] = {}
    by_key: dict[object, ir.Value] = {}
    for op in body(function):
        for value in (r for r in op.results if r in constants):
            first[value] = value
            if op.name != "ttir.constant":  # equal ones are one already
                operands = tuple(first.get(v, v) for v in op.operands)
                first[value] = by_key.setdefault((op_signature(op), operands), value)
    return first


def _views_argument(op: ir.Operation) -> bool:
    """Return True if the op is a no-op reshape of a parameter."""
    return isinstance(op.operands[0].owner, ir.Block) and is_view(definition_of(op)) if len(op.operands) else False
