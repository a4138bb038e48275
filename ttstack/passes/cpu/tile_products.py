"""Matrix products as tiles of vectors, where no library computes them."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.cpu.gemm import products

_FEWEST_ROWS = 4
"""With fewer, to copy the right operand takes longer than to multiply with it."""


class TileProducts(Pass, name="tile-products"):
    """`linalg.matmul` and `linalg.batch_matmul` of reals on memory become loops over tiles that stay in registers.

    Those of integers, of few rows, and of operands whose rows are not dense, stay.
    """

    def run(self, module: ir.Module) -> None:
        """Replace every product that fits."""
        from ttstack.passes.cpu.product_tiles import ProductTiles

        for gemm in products(module):
            if gemm.mnk[0] >= _FEWEST_ROWS:
                ProductTiles(gemm).write()
