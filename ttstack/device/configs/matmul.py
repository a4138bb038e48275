"""The program configuration of matrix products."""

from dataclasses import dataclass
from enum import StrEnum

from ttstack.device.configs.tile_counts import TileCounts


class MatmulProgram(StrEnum):
    """The programs of tt-metal for matrix products, by the names of their configurations."""

    MULTICAST_2D = "MatmulMultiCoreReuseMultiCastProgramConfig"
    MULTICAST_1D = "MatmulMultiCoreReuseMultiCast1DProgramConfig"
    REUSE = "MatmulMultiCoreReuseProgramConfig"
    DRAM_SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"


@dataclass(frozen=True)
class MatmulConfig(TileCounts):
    """Output blocks of a core, steps along K, and subblocks that fit Dst; `MatmulBlocks` says what None stands for."""

    type: MatmulProgram
    in0_block_w: int | None = None
    per_core_M: int | None = None
    per_core_N: int | None = None
    out_block_h: int | None = None
    out_block_w: int | None = None
    out_subblock_h: int | None = None
    out_subblock_w: int | None = None
