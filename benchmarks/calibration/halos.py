"""Rows of the kernel before convolutions and pools, which gives each core the pixels that its windows see."""

import math

from exchanges import stated_us
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from layouts import dtype_of, grid_of, layout_of, stated_layouts
from rows import Row
from shapes import tensors

from ttstack.cost.movement.halo import Pixels, halo_ns
from ttstack.device.layout import MemoryLayout
from ttstack.ops.types import tiles
from ttstack.system_desc import ChipDesc


def halo_row(row: Row) -> Expressed:
    """Pixels by channels before and after; what a core has more afterwards, others send it."""
    listed, stated = tensors(row), stated_layouts(row.memory_layout)
    if len(listed) < 2:
        raise InexpressibleError("the row does not say how many pixels the cores hold afterwards")
    before, after = listed[:2]
    dtype = dtype_of(row.dtypes[2] or row.dtypes[0])

    def forecast(chip: ChipDesc) -> Forecast:
        grid = grid_of(row.grid, chip)
        layout = layout_of(f"L1 {stated.get('in0', row.memory_layout)}", dtype_of(row.dtypes[0]), grid)
        blocks = layout.memory_layout is MemoryLayout.BLOCK_SHARDED
        across, along = (grid.cols, grid.rows) if blocks else (1, grid.cores)
        own, held = (-(-math.prod(t.shape[:-1]) // along) for t in (before, after))
        channels = -(-after.shape[-1] // across)
        pixels = Pixels(min(own, held), max(held - own, 0), channels * dtype.row_major_bytes)
        rows = tiles(own) if layout.tiled else 0
        return Forecast(halo_ns(pixels, rows, tiles(channels), grid.cores, chip) / 1e3, 0.0, "halo")

    return Expressed(row, "halo", stated_us(row, 0.0), forecast)
