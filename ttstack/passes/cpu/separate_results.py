"""Results that have one buffer get one each, so that the caller can say where each goes."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions


class SeparateResults(Pass, name="separate-results"):
    """A buffer that a function returns for several results is copied for all but the first."""

    def run(self, module: ir.Module) -> None:
        """Copy them before they are returned: MLIR's own pass for results as arguments cannot have a buffer be two."""
        from ttstack.mlir import memref

        for function in functions(module):
            if function.is_external:
                continue
            leave = body(function)[-1]
            seen: set[ir.Value] = set()
            for i, value in enumerate(list(leave.operands)):
                if value in seen and isinstance(value.type, ir.MemRefType):
                    with insert_before(leave):
                        own = memref.alloc(value.type, [], [])
                        memref.copy(value, own)
                    leave.operands[i] = own
                seen.add(value)
