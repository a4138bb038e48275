"""Expands integer conversions to bfloat16, so that code does not depend on the compiler's runtime library."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import arith, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class ExpandConversions(Pass, name="expand-conversions"):
    """Split `arith.sitofp` and `arith.uitofp` to bf16 into a conversion to f32 and `arith.truncf`.

    CPUs without an instruction for the direct conversion, which MLIR's canonicalization creates, call a library
    function for it.
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
