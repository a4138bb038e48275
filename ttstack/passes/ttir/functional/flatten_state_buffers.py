"""State stored as matrices if tiles would pad it: weights of trained convolutions and their moments."""

import math
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ttstack.device.layout import Layout, storage
from ttstack.dialects.base import attribute_values, create, definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import GivenWeight, kind_of, read_arguments, read_given_weights, write_given_weights
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import assigns, is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.reduction import Reduction
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.rewriting.pattern import Pattern, apply_patterns
from ttstack.passes.stages import Stage
from ttstack.program.records import HeldWeight, TensorKind

_GROWTH = 2.0
"""Minimum growth of the size in tiles."""
_LEAST_BYTES = 1 << 20
"""Smaller state, in tiles, is updated in the time of a launch."""
_MATRIX = 2
"""Rank of a matrix."""


class FlattenStateBuffers(Pass, name="flatten-state-buffers", stage=Stage.UPDATES):
    """Store a parameter that is written to as a matrix, if tiles of its own shape would be larger.

    Elementwise ops on it use matrices too. Users see its own shape.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every function, then elementwise ops on such shapes."""
        shapes = {shape for function in functions(module) for shape in self._flatten_state(function)}
        families: dict[type[Op], Pattern] = {
            Eltwise: lambda op: _on_matrices(op, shapes),
            Reduction: lambda op: _reduced(op, shapes),
        }
        rules = [
            (f"ttir.{n}", p) for n, spec in OPS.items() for family, p in families.items() if issubclass(spec, family)
        ]
        if shapes:
            apply_patterns(module, rules)

    def _flatten_state(self, function: func.FuncOp) -> Iterable[tuple[int, ...]]:
        """Store the function's state as matrices; return the shapes that it had."""
        block, shapes = function.regions[0].blocks[0], dict[str, tuple[int, ...]]()
        given_weights = read_given_weights(function)
        for argument, signature in zip(block.arguments, read_arguments(function), strict=True):
            t = read_type(argument.type)
            if signature.name in given_weights or kind_of(argument) is not TensorKind.PARAMETER:
                continue
            if _is_assigned(argument) and self._wastes(t):
                _flatten_argument(argument)
                shapes[signature.name] = t.shape
        if shapes:
            matrices = {name: GivenWeight(HeldWeight(name), shape) for name, shape in shapes.items()}
            write_given_weights(function, matrices)
            refresh_signature(function)
        return shapes.values()

    def _wastes(self, t: TensorType) -> bool:
        nbytes = Layout(storage(t.dtype)).nbytes
        return t.rank > _MATRIX and nbytes(t) > max(_LEAST_BYTES, _GROWTH * nbytes(_matrix(t)))


def _is_assigned(argument: ir.BlockArgument) -> bool:
    """Return True if ops write to the argument, and each of them overwrites it completely."""
    return is_overwritten(argument) and all(assigns(use) or not _writes(use) for use in argument.uses)


def _writes(use: ir.OpOperand) -> bool:
    spec = OPS.get(use.owner.name.removeprefix("ttir."))
    return spec is not None and spec.places(len(use.owner.operands))[use.operand_number] in spec.mutates


def _matrix(t: TensorType) -> TensorType:
    return t.with_shape((t.shape[0], math.prod(t.shape[1:])))


def _flatten_argument(argument: ir.BlockArgument) -> None:
    """Change the argument to a matrix, with reshapes at its uses and assignments."""
    t = read_type(argument.type)
    uses = [(use.owner.operation, use.operand_number) for use in argument.uses]
    argument.set_type(ir.RankedTensorType.get(_matrix(t).shape, argument.type.element_type))
    for op, place in uses:
        if op.name == "ttir.assign" and place == 0:
            _assign_matrix(op, argument, t)
        else:
            with insert_before(op):
                op.operands[place] = reshape_to(argument, t.shape)


def _assign_matrix(op: ir.Operation, argument: ir.BlockArgument, t: TensorType) -> None:
    with insert_before(op):
        value = _as_matrix(op.operands[1])
        result_type = read_type(argument.type) if len(op.results) else None
        assigned = ttir.assign(argument, value, result=result_type)
        if assigned is not None and len(op.results):
            op.results[0].replace_all_uses_with(reshape_to(assigned, t.shape))
    op.erase()


def _as_matrix(value: ir.Value) -> ir.Value:
    """Return the value as a matrix, or the matrix that it is a reshape of."""
    shape, step = _matrix(read_type(value.type)).shape, defining_op(value, "ttir.reshape")
    source = None if step is None else step.operands[0]
    return source if source is not None and read_type(source.type).shape == shape else reshape_to(value, shape)


def _on_matrices(op: ir.Operation, shapes: AbstractSet[tuple[int, ...]]) -> list[ir.Value] | None:
    """Return the op on matrices, if its operands have such a shape or are single numbers."""
    t = read_type(op.results[0].type)
    kinds = [(v, read_type(v.type)) for v in op.operands]
    if t.shape not in shapes or any(kind.shape != t.shape and kind.size != 1 for _, kind in kinds):
        return None
    matrix = _matrix(t)
    operands = [reshape_to(v, (1, 1)) if kind.size == 1 else _as_matrix(v) for v, kind in kinds]
    return [reshape_to(_rebuild(op, operands, matrix), t.shape)]


def _reduced(op: ir.Operation, shapes: AbstractSet[tuple[int, ...]]) -> list[ir.Value] | None:
    """Return a reduction over all elements as one of the matrix."""
    reduction, t = definition_of(op), read_type(op.results[0].type)
    assert isinstance(reduction, Reduction)
    if reduction.input.shape not in shapes or len(reduction.dims) < reduction.input.rank:
        return None
    reduced = _rebuild(op, [_as_matrix(op.operands[0])], t.with_shape(()), keep_dim=False, dim_arg=None)
    return [reshape_to(reduced, t.shape)]


def _rebuild(op: ir.Operation, operands: Sequence[ir.Value], result: TensorType, **changed: Any) -> ir.Value:
    """Rebuild the op on other operands, with this result type if the op declares its own."""
    definition = definition_of(op)
    attributes = attribute_values(type(definition), op) | changed
    declared = [result] if definition.result_fields() else []
    return create("ttir", definition.mnemonic, operands, attributes, results=declared).results[0]
