"""Lookups in a Tensor-Train table beside the dense table and beside other ways to multiply the same cores.

`python benchmarks/tensor_train/lookup.py [--rows N] [--width D] [--repeats K] [--clock processors]`; needs the extra
`benchmarks`. Times are the least of the repeats, which take turns, so that ratios mean something on a machine that
does other work.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import tltorch
import torch

from ttstack.tensor_train import TensorTrain, plan

BATCHES = (4096, 65536)
RANKS = (8, 16, 32)
CLOCKS = {"wall": time.perf_counter, "processors": time.process_time}
ZIPF = 1.05  # exponent of the popularity of ids


@dataclass(frozen=True)
class Row:
    """Million rows a second of each way, for one rank, batch and distribution of ids."""

    rank: int
    batch: int
    ids: str
    speeds: dict[str, float]


def drawn_ids(kind: str, rows: int, batch: int, rng: np.random.Generator) -> np.ndarray:
    """Row numbers, uniform or with Zipf's popularity spread over the table at random."""
    if kind == "uniform":
        return rng.integers(0, rows, batch)
    popularity = np.cumsum(np.arange(1, rows + 1) ** -ZIPF)
    return rng.permutation(rows)[np.searchsorted(popularity, rng.uniform(0, popularity[-1], batch))]


def chain(cores: list[torch.Tensor], ids: torch.Tensor) -> torch.Tensor:
    """The usual way: slices gathered for every row, and a batched multiplication for each core."""
    digits = []
    for core in reversed(cores):
        digits.insert(0, ids % len(core))
        ids = ids // len(core)
    row = cores[0][digits[0]].reshape(len(digits[0]), -1, cores[1].shape[1])
    for k in range(1, len(cores)):
        row = torch.bmm(row, cores[k][digits[k]])
        row = row.reshape(len(row), -1, cores[k + 1].shape[1]) if k + 1 < len(cores) else row
    return row.reshape(len(row), -1)


def tensorly_module(train: TensorTrain) -> torch.nn.Module:
    """tensorly-torch's module with the same cores."""
    made = train.plan
    module = tltorch.FactorizedEmbedding(
        made.rows,
        made.cols,
        auto_tensorize=False,
        tensorized_num_embeddings=made.row_factors,
        tensorized_embedding_dim=made.col_factors,
        factorization="blocktt",
        rank=made.ranks,
    )
    shapes = [(n, r, m, s) for (n, r, _), m, s in zip(made.core_shapes, made.col_factors, made.ranks[1:], strict=True)]
    with torch.no_grad():
        for factor, core, shape in zip(module.weight.factors, train.cores, shapes, strict=True):
            factor.copy_(torch.from_numpy(core).view(shape).transpose(0, 1))
    return module


def ways(train: TensorTrain, ids: np.ndarray, dense: torch.nn.EmbeddingBag) -> dict[str, Callable[[], object]]:
    """Every way to look up `ids`, by name."""
    tensor, starts = torch.from_numpy(ids), torch.arange(len(ids))
    cores, module = [torch.from_numpy(core) for core in train.cores], tensorly_module(train)
    numpy_cores = [core[:, :, :] for core in train.cores]
    return {
        "ttstack": lambda: train.lookup(ids),
        "torch.bmm": lambda: chain(cores, tensor),
        "numpy.matmul": lambda: numpy_chain(numpy_cores, ids),
        "tensorly-torch": lambda: module(tensor),
        "dense": lambda: dense(tensor, starts),
    }


def numpy_chain(cores: list[np.ndarray], ids: np.ndarray) -> np.ndarray:
    """The usual way, with NumPy's batched multiplication."""
    digits = np.unravel_index(ids, [len(core) for core in cores])
    row = cores[0][digits[0]].reshape(len(ids), -1, cores[1].shape[1])
    for k in range(1, len(cores)):
        row = np.matmul(row, cores[k][digits[k]])
        row = row.reshape(len(ids), -1, cores[k + 1].shape[1]) if k + 1 < len(cores) else row
    return row.reshape(len(ids), -1)


def measure(rows: int, width: int, repeats: int, clock: Callable[[], float]) -> Iterator[Row]:
    """A row of the table at a time."""
    rng = np.random.default_rng(0)
    for rank in RANKS:
        made = plan(rows, width, ranks=rank)
        train = TensorTrain(made, tuple(rng.standard_normal(s, dtype=np.float32) for s in made.core_shapes))
        dense = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(train.to_dense()), mode="sum")
        for batch, kind in product(BATCHES, ("uniform", "zipf")):
            ids = drawn_ids(kind, rows, batch, rng)
            with torch.inference_mode():
                seconds = least_times(ways(train, ids, dense), repeats, clock)
            yield Row(rank, batch, kind, {name: batch / taken / 1e6 for name, taken in seconds.items()})


def least_times(found: dict[str, Callable[[], object]], repeats: int, clock: Callable[[], float]) -> dict[str, float]:
    """Least seconds of each way, all of which must agree; what takes more than a second is not repeated."""
    expected = np.asarray(found["dense"]())
    seconds = dict.fromkeys(found, np.inf)
    for turn in range(repeats + 1):
        for name, way in found.items():
            if turn < 2 or seconds[name] < 1:
                start = clock()
                rows = way()
                seconds[name] = min(seconds[name], clock() - start)
                np.testing.assert_allclose(np.asarray(rows), expected, rtol=1e-3, atol=1e-2)
    return seconds


def main() -> None:
    """Print million rows a second, and how many times as fast as each other way ttstack is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="processors: of use where others compute too")
    given = parser.parse_args()
    print(f"{given.rows:,} x {given.width}, {torch.get_num_threads()} threads: million rows a second (ttstack's times)")
    for row in measure(given.rows, given.width, given.repeats, CLOCKS[given.clock]):
        ours = row.speeds["ttstack"]
        cells = [
            f"{name} {speed:6.2f} ({ours / speed:5.2f}x)" for name, speed in row.speeds.items() if name != "ttstack"
        ]
        print(f"rank {row.rank:2} batch {row.batch:5} {row.ids:7}: ttstack {ours:5.2f}; {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
