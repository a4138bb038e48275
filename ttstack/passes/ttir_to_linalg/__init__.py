"""Lowering of named `ttir` to `linalg` on tensors, for CPU code."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions


class ConvertTTIRToLinalg(Pass, name="convert-ttir-to-linalg"):
    """Lower every op to `linalg`, `tensor`, `arith` and `math`.

    A function returns its own results, then the new values of arguments that ops wrote to, then a number: 0, or the
    number of the op with an index out of range.
    """

    def run(self, module: ir.Module) -> None:
        """Convert every public function, and drop all others, which nothing calls."""
        from ttstack.passes.ttir_to_linalg.convert import check_lowerings, convert

        check_lowerings(module)
        public = list(functions(module))
        for op in list(module.body.operations):
            if not any(op.operation == function.operation for function in public):
                op.operation.erase()
        for function in public:
            convert(function)
