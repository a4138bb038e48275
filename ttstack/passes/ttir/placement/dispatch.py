"""Conversion of named ops to `ttir.generic`: loops over tiles with maps, accesses and a region."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import build_generic
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.generic_source import GenericSource
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage


class Dispatch(Pass, name="dispatch", stage=Stage.LOOPS):
    """Turn each op that tile ops can express into a `ttir.generic`; the other ops keep their names.

    Ops that only move data keep their names too: readers and writers do their work, without a region.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        named = (spec for spec in OPS.values() if spec.executable and spec.family != "generic" and not spec.mutates)
        names = [f"ttir.{spec.mnemonic}" for spec in named]
        apply_patterns(module, [(name, _dispatch) for name in names])


def _dispatch(op: ir.Operation) -> list[ir.Value] | None:
    definition = definition_of(op)
    nest = definition.nest
    if nest is None or nest.moves_only:
        return None
    return [build_generic(nest, list(op.operands), definition.results[0], GenericSource.of(definition))]
