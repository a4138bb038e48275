"""Integers become bfloat16 by way of float32, so that no library of the compiler's is linked."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import arith, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class ExpandConversions(Pass, name="expand-conversions"):
    """`arith.sitofp` and `arith.uitofp` to bf16 become the same to f32, and an `arith.truncf`.

    MLIR's canonicalization has made one op of these two, which processors without an instruction for it leave to a
    function of the compiler's.
    """

    def run(self, module: ir.Module) -> None:
        """Replace every conversion."""
        for convert in (arith.sitofp, arith.uitofp):
            for op in ops_of_name(module, f"arith.{convert.__name__}"):
                if isinstance(short := op.results[0].type, ir.BF16Type):
                    with insert_before(op):
                        rounded = arith.truncf(short, convert(ir.F32Type.get(), op.operands[0]))
                    op.results[0].replace_all_uses_with(rounded)
                    op.erase()
