"""A pass that finds the op."""

from row_scale import op as _defined  # noqa: F401  (the op must be there)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns


class FuseRowScale(Pass, name="fuse-row-scale"):
    """A product with one number for each row becomes `row_scale`."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.multiply", _row_scale)])


def _row_scale(op: ir.Operation) -> list[ir.Value] | None:
    x, scale = op.operands
    shape = read_type(x.type).shape
    if read_type(scale.type).shape != (*shape[:-1], 1) or shape[-1] == 1:
        return None
    return [ttir.build("row_scale", x, scale)]
