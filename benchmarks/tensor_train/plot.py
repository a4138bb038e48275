"""What Tensor-Train form does to a table of ten million rows: bytes and predicted time against rank and width.

`python benchmarks/tensor_train/plot.py [--plot FILE.svg] [--system-desc NAME]`; the plot needs the extra `plots`.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from ttstack.ops.embedding import Embedding
from ttstack.ops.tensor_train import TensorTrainLookup
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType
from ttstack.passes.ttir.tensor_train.prices import alone_ns, device_bytes
from ttstack.system_desc import ChipDesc, load
from ttstack.tensor_train import plan

ROWS = 10_000_000
BATCH = 4096
RANKS = (8, 16, 32, 64, 128)
WIDTHS = (16, 32, 64, 128, 256, 512)


def train_of(width: int, rank: int) -> TensorTrainType:
    """Three cores in bf16, their slices whole tiles where they can be."""
    return TensorTrainType(plan(ROWS, width, ranks=rank, target=(32, 32)), DType.BF16)


def lookups(width: int, rank: int | None, chip: ChipDesc) -> float:
    """Microseconds of a batch of lookups, in a train of this rank or in the dense table."""
    ids = TensorType((BATCH,), DType.UI32)
    if rank is None:
        return alone_ns(Embedding(input=ids, weight=TensorType((ROWS, width), DType.BF16)), chip) / 1000
    train = train_of(width, rank)
    return alone_ns(TensorTrainLookup(indices=ids, cores=train.cores, train=train), chip) / 1000


def main() -> None:
    """Print a line for each width and rank, and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot")
    parser.add_argument("--system-desc", default="wormhole")
    given = parser.parse_args()
    chip = load(given.system_desc).chips[0]
    dense = {width: lookups(width, None, chip) for width in WIDTHS}
    found = {(w, r): (device_bytes(train_of(w, r)), lookups(w, r, chip)) for w in WIDTHS for r in RANKS}
    print(f"{ROWS:,} rows, {BATCH} lookups, {given.system_desc}; bytes on the device, cores in bf16")
    for width in WIDTHS:
        print(f"width {width:3}: dense {ROWS * width * 2 / 2**20:10,.0f} MiB {dense[width]:7.1f} us")
        for rank in RANKS:
            nbytes, us = found[width, rank]
            print(f"    rank {rank:3}: {nbytes / 2**20:8.2f} MiB {us:7.1f} us, {us / dense[width]:.2f} of dense")
    if given.plot:
        draw(dense, found, given.plot)


def draw(dense: dict[int, float], found: dict[tuple[int, int], tuple[int, float]], path: str) -> None:
    """Bytes over rank, time over rank, time over width."""
    import matplotlib.pyplot as plt

    figure, (nbytes, by_rank, by_width) = plt.subplots(1, 3, figsize=(13, 4))
    for width in WIDTHS:
        mib = [found[width, rank][0] / 2**20 for rank in RANKS]
        (line,) = nbytes.loglog(RANKS, mib, marker="o", base=2, label=f"width {width}")
        nbytes.axhline(ROWS * width * 2 / 2**20, color=line.get_color(), linestyle=":")
        by_rank.semilogx(RANKS, [found[width, rank][1] / dense[width] for rank in RANKS], marker="o", base=2)
    for rank in RANKS:
        by_width.semilogx(WIDTHS, [found[width, rank][1] for width in WIDTHS], marker="o", base=2, label=f"rank {rank}")
    by_width.semilogx(WIDTHS, [dense[width] for width in WIDTHS], color="black", linestyle="--", base=2, label="dense")
    by_rank.axhline(1, color="black", linestyle="--")
    _label(nbytes, "rank", "MiB on the device; dotted: dense, bf16", RANKS)
    _label(by_rank, "rank", "time of lookups / dense", RANKS)
    _label(by_width, "width", f"microseconds for {BATCH} lookups", WIDTHS)
    nbytes.legend(fontsize="small")
    by_width.legend(fontsize="small")
    figure.tight_layout()
    plt.rcParams["svg.hashsalt"] = "tensor-train"
    figure.savefig(path, metadata={"Date": None})


def _label(axes: Any, x: str, y: str, ticks: Sequence[int]) -> None:
    from matplotlib.ticker import ScalarFormatter

    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.grid(visible=True, alpha=0.3)


if __name__ == "__main__":
    main()
