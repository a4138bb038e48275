"""Lower named `ttir` to `linalg` on tensors: what a processor's code is made of."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions


class ConvertTTIRToLinalg(Pass, name="convert-ttir-to-linalg"):
    """Every op becomes loops over elements, products of matrices and views, as `linalg`, `tensor`, `arith` and `math`.

    A function gives three kinds of results, one after the other: its own, arguments that ops wrote to as they are
    afterwards, and a number: 0, or which op met an index that is outside of what it picks from.
    """

    def run(self, module: ir.Module) -> None:
        """Convert every public function, and drop all else: nothing calls it, and code of others is not for objects."""
        from ttstack.passes.ttir_to_linalg.convert import check_lowerings, convert

        check_lowerings(module)
        public = list(functions(module))
        for op in list(module.body.operations):
            if not any(op.operation == function.operation for function in public):
                op.operation.erase()
        for function in public:
            convert(function)
