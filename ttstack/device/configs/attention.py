"""The program configuration of attention over whole sequences and caches."""

from dataclasses import dataclass

from ttstack.device.configs.tile_counts import TileCounts


@dataclass(frozen=True)
class AttentionConfig(TileCounts):
    """Queries and keys of which a core holds scores at a time."""

    q_chunk_tiles: int | None = None
    k_chunk_tiles: int | None = None
