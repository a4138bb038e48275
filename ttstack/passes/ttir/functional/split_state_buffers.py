"""State stored as separate slices if these are used separately: keys and values, caches of several layers."""

from dataclasses import dataclass, field

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import (
    GivenWeight,
    erase_unused_parameters,
    insert_parameters,
    read_arguments,
    read_given_weights,
    write_given_weights,
)
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import assigns
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.producers import concat_dim
from ttstack.program.records import HeldWeight, TensorKind

_LEAST_RANK = 5
"""Minimum rank of state with slices: that of a cache, and the dimension of the slices."""


class SplitStateBuffers(
    Pass,
    name="split-state-buffers",
    optional=True,
    stage=Stage.STATE,
    after={"mark-variables": "parameters that functions share are found by their names"},
):
    """Store a parameter as its slices along the first dimension, if each is used separately.

    Keys and values in one tensor [2, ...], and stacked caches of layers, are then read without slices and written
    without concatenation. Users see one parameter.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every assignment of every function. Buffer contents must be values."""
        for function in functions(module):
            signatures, given_weights = read_arguments(function), read_given_weights(function)
            used_names, arguments = {s.name for s in signatures}, list(function.regions[0].blocks[0].arguments)
            for argument, signature in zip(arguments, signatures, strict=True):
                if signature.kind is not TensorKind.PARAMETER or signature.name in given_weights:
                    continue
                state, name = _State.of(argument), signature.name
                if state is None or (written := state.new_parts()) is None:
                    continue
                if used_names.isdisjoint(_names(name, len(written))):
                    _insert_parts(function, name, state, written)


@dataclass
class _State:
    """A parameter that is assigned once, with all values that lead to the assigned one."""

    argument: ir.Value
    assign: ir.Operation
    cuts: list[ir.Operation] = field(default_factory=list[ir.Operation])
    """Ops that slice such values, and use single slices."""
    wholes: list[ir.Value] = field(default_factory=list[ir.Value])

    @staticmethod
    def of(argument: ir.Value) -> "_State | None":
        """Return the state of an argument; None if it has uses other than slices and updates of slices."""
        t, written = read_type(argument.type), [use.owner.operation for use in argument.uses if assigns(use)]
        if t.rank < _LEAST_RANK or len(written) != 1:
            return None
        state, todo = _State(argument, written[0]), [argument, *written[0].results]
        while todo:
            value = todo.pop()
            if value in state.wholes:
                continue
            state.wholes.append(value)
            for use in value.uses:
                op = use.owner.operation
                if op == state.assign:
                    continue
                if op.name != "ttir.slice_static" or (bounds := _parts_of(op)) is None:
                    return None
                state.cuts.append(op)
                joins = [u.owner.operation for u in op.results[0].uses if state._joins(u.owner.operation)]
                if bounds[1] - bounds[0] > 1 and len(joins) != len(list(op.results[0].uses)):
                    return None
                todo += [join.results[0] for join in joins]
        return state

    def new_parts(self) -> list[ir.Value] | None:
        """Return the value assigned to each part, [1, ...]; None unless every part is assigned a new value."""
        parts = [self.part_at(self.assign.operands[1], i) for i in range(read_type(self.argument.type).shape[0])]
        values = [part for part in parts if isinstance(part, ir.Value)]
        return values if len(values) == len(parts) else None

    def part_at(self, whole: ir.Value, index: int) -> ir.Value | int | None:
        """Return a slice [1, ...] of a value, or the index of an unchanged slice; None if it is neither."""
        if whole == self.argument:
            return index
        op = defining_op(whole)
        if op == self.assign:
            return self.part_at(self.assign.operands[1], index)
        if op is None or not self._joins(op):
            return None
        for piece in op.operands:
            count = read_type(piece.type).shape[0]
            if index < count:
                cut = defining_op(piece, "ttir.slice_static")
                if cut is not None and cut in self.cuts and (bounds := _parts_of(cut)):
                    return self.part_at(cut.operands[0], bounds[0] + index)
                return piece if count == 1 else None
            index -= count
        return None

    def _joins(self, op: ir.Operation) -> bool:
        return op.name == "ttir.concat" and op.results[0].type == self.argument.type and concat_dim(op) == 0


def _parts_of(cut: ir.Operation) -> tuple[int, int] | None:
    """Return the first slice that an op takes, and the end; None if it cuts within slices."""
    whole, bounds = read_type(cut.operands[0].type).shape, definition_of(cut).attributes()
    rest = (bounds["begins"][1:], bounds["ends"][1:], bounds["step"])
    if tuple(map(tuple, rest)) != ((0,) * (len(whole) - 1), whole[1:], (1,) * len(whole)):
        return None
    return bounds["begins"][0], bounds["ends"][0]


def _names(name: str, count: int) -> list[str]:
    return [f"{name}.{i}" for i in range(count)]


def _insert_parts(function: func.FuncOp, name: str, state: _State, written: list[ir.Value]) -> None:
    """Replace the parameter by parameters of its slices."""
    t = read_type(state.argument.type)
    names, part = _names(name, len(written)), t.with_shape(t.shape[1:])
    kind = ir.RankedTensorType.get(part.shape, state.argument.type.element_type)
    parameters = insert_parameters(function, names, [kind] * len(names))
    for cut in state.cuts:
        bounds = _parts_of(cut)
        if bounds is not None and bounds[1] - bounds[0] == 1:
            source = state.part_at(cut.operands[0], bounds[0])
            assert source is not None
            _replace(cut, parameters[source] if isinstance(source, int) else source, part.shape)
    with insert_before(state.assign):
        for own, value in zip(parameters, written, strict=True):
            ttir.assign(own, _without_one(value, part.shape), result=part)
    done = {*state.cuts, *map(defining_op, state.wholes), state.assign}
    for op in reversed(body(function)):
        if op in done:
            op.erase()
    erase_unused_parameters(function, {name})
    given_weights = {own: GivenWeight(HeldWeight(name, i), t.shape) for i, own in enumerate(names)}
    write_given_weights(function, given_weights)
    refresh_signature(function)


def _replace(cut: ir.Operation, value: ir.Value, part: tuple[int, ...]) -> None:
    """Replace uses of a slice by the value, [...] or [1, ...], without the unit dimension if it is dropped."""
    for use in list(cut.results[0].uses):
        op, place = use.owner.operation, use.operand_number
        with insert_before(op):
            if op.name in VIEWS and read_type(op.results[0].type).shape == part:
                op.results[0].replace_all_uses_with(_without_one(value, part))
                op.erase()
            else:
                op.operands[place] = reshape_to(value, (1, *part))


def _without_one(value: ir.Value, part: tuple[int, ...]) -> ir.Value:
    """Return the slice before its unit dimension was added, or a reshape without it."""
    before = value
    while read_type(before.type).shape != part:
        if (view := defining_op(before, *VIEWS)) is None:
            return reshape_to(value, part)
        before = view.operands[0]
    return before
