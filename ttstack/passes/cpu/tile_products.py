"""Matrix products as tiles of vectors, where no library computes them."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.cpu.gemm import products
from ttstack.passes.cpu.registers import SMALL, tile_of_this_machine

_FEWEST_ROWS = 4
"""With fewer, to copy the right operand takes longer than to multiply with it."""


class TileProducts(Pass, name="tile-products"):
    """`linalg.matmul` and `linalg.batch_matmul` of reals on memory become loops over tiles that stay in registers.

    Those of integers, of few rows, and of operands whose rows are not dense, stay. Tiles are as large as registers of
    this machine's processor hold, or, `small`, as those of any hold;
    `threads` share them.
    """

    small: bool = False
    threads: bool = False

    def run(self, module: ir.Module) -> None:
        """Replace every product that fits."""
        from ttstack.passes.cpu.product_tiles import ProductTiles

        tile = SMALL if self.small else tile_of_this_machine()
        for gemm in products(module):
            if gemm.mnk[0] >= _FEWEST_ROWS:
                ProductTiles(gemm, tile, self.threads).write()
