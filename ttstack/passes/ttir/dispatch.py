"""Turn named ops into `ttir.generic`: loops over tiles with maps, accesses and a region."""

from ttstack.dialects.base import describe
from ttstack.dialects.ttir import build_generic
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns


class Dispatch(Pass, name="dispatch"):
    """Every op that maps and tile ops say all about becomes a dispatch; the others stay named."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        names = [f"ttir.{n}" for n, spec in OPS.items() if spec.executable and spec.family != "generic"]
        apply_patterns(module, [(name, _dispatch) for name in names])


def _dispatch(op: ir.Operation) -> list[ir.Value] | None:
    definition = describe(op)
    generic = definition.nest
    return None if generic is None else [build_generic(generic, list(op.operands), definition.results[0], definition)]
