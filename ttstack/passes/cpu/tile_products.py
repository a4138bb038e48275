"""Vector tiles of matmuls, if no library computes them."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.cpu.gemm import products
from ttstack.passes.cpu.registers import SMALL, tile_of_this_machine

_FEWEST_ROWS = 4
"""Minimum number of rows; with fewer, packing the right operand takes longer than the matmul."""


class TileProducts(Pass, name="tile-products"):
    """Tile `linalg.matmul` and `linalg.batch_matmul` for the vector registers of the CPU.

    Matmuls of integers, of few rows, and of operands without contiguous rows are unchanged. Tiles fit the registers of
    this CPU or, with `small`, of any CPU; `threads` share them.
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
