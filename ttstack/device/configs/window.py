"""The program configuration of ops with windows that are no matrix products: pools, depthwise convolutions."""

from dataclasses import dataclass

from ttstack.device.configs.tile_counts import TileCounts


@dataclass(frozen=True)
class WindowConfig(TileCounts):
    """Rows of the result that a core makes of one slice of what windows see."""

    out_block_h: int | None = None
