"""The program configuration of ops that keep rows in a core: softmax, norms, scans."""

from dataclasses import dataclass
from enum import StrEnum

from ttstack.device.configs.tile_counts import TileCounts


class Sums(StrEnum):
    """The numbers that Dst holds, and in which a kernel adds up: `fp32_dest_acc_en` of the library."""

    BF16 = "bf16"
    F32 = "f32"


@dataclass(frozen=True)
class RowwiseConfig(TileCounts):
    """The part of a row that a core holds at a time, and how exactly the row is added up."""

    block_w: int | None = None
    sums: Sums | None = None
    """Those of the result's width where None."""
