"""Folding of transposes and broadcasts into the maps of dispatches."""

from dataclasses import dataclass

from ttstack.device.map_rules import has_kernel
from ttstack.dialects.ttir import build_generic, read_nest, read_source
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.generic_source import GenericSource
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.read_through import read_through
from ttstack.ops.tile_order import moves_tiles
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage


class FoldTransposesIntoMaps(
    Pass,
    name="fold-transposes-into-maps",
    optional=True,
    stage=Stage.LOOPS,
    after={"dispatch": "dispatches have the maps"},
):
    """Fold transposes and broadcasts of whole tiles into the indexing maps of the ops that read them.

    A matmul then reads an operand transposed, or one matrix for its whole batch, and an elementwise op repeats rows,
    columns or matrices. The moving op remains if one of its uses cannot fold it.
    """

    transposes: bool = True
    """True if transposes are folded."""
    broadcasts: bool = True
    """True if broadcasts are folded."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.generic", self._fold)])

    def _fold(self, op: ir.Operation) -> list[ir.Value] | None:
        for value in dict.fromkeys(list(op.operands)[:-1]):
            mover = self._mover(value)
            if mover is not None and all(_read_through(use.owner.operation, value, mover) for use in value.uses):
                reader = _read_through(op, value, mover)
                assert reader is not None
                return [reader.build()]
        return None

    def _mover(self, value: ir.Value) -> LoopNest | None:
        """Return the nest that produces a value, if it only moves tiles."""
        if (producer := pure_producer(value)) is None or producer.name != "ttir.generic":
            return None
        names = [tile_op.name for tile_op in producer.regions[0].blocks[0].operations]
        asked = {"ttir.tile_transpose": self.transposes, "ttir.tile_copy": self.broadcasts}
        if len(names) != 2 or not asked.get(names[0]):
            return None
        nest = read_nest(producer)
        return nest if moves_tiles(nest) else None


@dataclass(frozen=True)
class _Consumer:
    """A dispatch that reads an operand before its move."""

    nest: LoopNest
    inputs: tuple[ir.Value, ...]
    result: TensorType
    source: GenericSource

    def build(self) -> ir.Value:
        """Build the dispatch at the insertion point, with the same origin."""
        return build_generic(self.nest, self.inputs, self.result, self.source)


def _read_through(user: ir.Operation, value: ir.Value, mover: LoopNest) -> _Consumer | None:
    """Return the user with all its reads of the value replaced; None if it would have no kernel."""
    *inputs, out = user.operands
    if user.name != "ttir.generic" or value == out:
        return None
    nest: LoopNest | None = read_nest(user.operation)
    producer = ir.OpResult(value).owner
    for position in (i for i, read in enumerate(inputs) if read == value):
        nest = nest and read_through(nest, position, mover)
        inputs[position] = producer.operands[0]
    result = read_type(user.results[0].type)
    if nest is None or not has_kernel(nest, [read_type(v.type) for v in inputs], result):
        return None
    return _Consumer(nest, tuple(inputs), result, read_source(user.operation))
