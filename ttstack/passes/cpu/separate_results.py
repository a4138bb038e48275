"""Separate buffers for each result, so that the caller can place each."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions


class SeparateResults(Pass, name="separate-results"):
    """Copy a buffer that a function returns more than once."""

    def run(self, module: ir.Module) -> None:
        """Copy the buffers before the return.

        MLIR's pass for output arguments does not support a buffer returned twice.
        """
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
