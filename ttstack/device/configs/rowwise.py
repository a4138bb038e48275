"""The program configuration of ops that keep rows in a core: softmax, norms, scans."""

from dataclasses import dataclass

from ttstack.device.configs.tile_counts import TileCounts


@dataclass(frozen=True)
class RowwiseConfig(TileCounts):
    """The part of a row that a core holds at a time."""

    block_w: int | None = None
