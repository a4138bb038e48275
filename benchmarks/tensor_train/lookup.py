"""Lookups in a Tensor-Train table beside the dense table and beside other ways to multiply the same cores.

`python benchmarks/tensor_train/lookup.py [--rows N] [--width D] [--repeats K] [--clock processors]`; needs the extra
`benchmarks`. Times are the least of the repeats, which take turns, so that ratios mean something on a machine that
does other work. Every repeat has ids of its own, and each way looks up others first, untimed: so none finds its cache
full of what another way has read, and none finds rows there that it has just looked up.

The bound is what the machine's own matrix multiplication would take for the fewest products that the rows need: one
for each prefix of digits that occurs.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

import numpy as np
import tltorch
import torch

from ttstack.tensor_train import TensorTrain, TensorTrainPlan, plan

BATCHES = (4096, 65536)
RANKS = (8, 16, 32)
CLOCKS = {"wall": time.perf_counter, "processors": time.process_time}
ZIPF = 1.05  # exponent of the popularity of ids


@dataclass(frozen=True)
class Row:
    """Million rows a second of each way, for one rank, batch and distribution of ids, and what products alone allow."""

    rank: int
    batch: int
    ids: str
    speeds: dict[str, float]
    bound: float


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


Way = Callable[[np.ndarray], object]


def ways(train: TensorTrain, dense: torch.nn.EmbeddingBag) -> dict[str, Way]:
    """Every way to look up ids, by name."""
    cores, module = [torch.from_numpy(core) for core in train.cores], tensorly_module(train)
    return {
        "ttstack": train.lookup,
        "torch.bmm": lambda ids: chain(cores, torch.from_numpy(ids)),
        "numpy.matmul": lambda ids: numpy_chain(train.cores, ids),
        "tensorly-torch": lambda ids: module(torch.from_numpy(ids)),
        "dense": lambda ids: dense(torch.from_numpy(ids), torch.arange(len(ids))),
    }


def numpy_chain(cores: Sequence[np.ndarray], ids: np.ndarray) -> np.ndarray:
    """The usual way, with NumPy's batched multiplication."""
    digits = np.unravel_index(ids, [len(core) for core in cores])
    row = cores[0][digits[0]].reshape(len(ids), -1, cores[1].shape[1])
    for k in range(1, len(cores)):
        row = np.matmul(row, cores[k][digits[k]])
        row = row.reshape(len(ids), -1, cores[k + 1].shape[1]) if k + 1 < len(cores) else row
    return row.reshape(len(ids), -1)


def measure(rows: int, width: int, repeats: int, clock: Callable[[], float]) -> Iterator[Row]:
    """A row of the table at a time."""
    rng, flops = np.random.default_rng(0), flops_a_second(clock)
    for rank in RANKS:
        made = plan(rows, width, ranks=rank)
        train = TensorTrain(made, tuple(rng.standard_normal(s, dtype=np.float32) for s in made.core_shapes))
        dense = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(train.to_dense()), mode="sum")
        for batch, kind in product(BATCHES, ("uniform", "zipf")):
            batches = [drawn_ids(kind, rows, batch, rng) for _ in range(repeats + 1)]
            with torch.inference_mode():
                seconds = least_times(ways(train, dense), batches, clock)
            speeds = {name: batch / taken / 1e6 for name, taken in seconds.items()}
            yield Row(rank, batch, kind, speeds, batch * flops / least_flops(made, batches[0]) / 1e6)


def least_flops(made: TensorTrainPlan, ids: np.ndarray) -> float:
    """Operations of the products for `ids`, those of a prefix once."""
    total = 0.0
    for k in range(1, made.order):
        prefixes = len(np.unique(ids // prod(made.row_factors[k + 1 :])))
        total += 2 * prefixes * prod(made.col_factors[: k + 1]) * made.ranks[k] * made.ranks[k + 1]
    return total


def flops_a_second(clock: Callable[[], float]) -> float:
    """What a product of two matrices of 1024 x 1024 in float32 reaches, the best of some."""
    matrix, best = np.ones((1024, 1024), np.float32), np.inf
    for _ in range(10):
        start = clock()
        np.matmul(matrix, matrix)
        best = min(best, clock() - start)
    return 2 * 1024**3 / best


def least_times(found: dict[str, Way], batches: list[np.ndarray], clock: Callable[[], float]) -> dict[str, float]:
    """Least seconds of each way, all of which must agree; what takes more than a second is not repeated."""
    seconds = dict.fromkeys(found, np.inf)
    for others, ids in pairwise(batches):
        rows = {}
        for name, way in found.items():
            if seconds[name] > 1 and seconds[name] != np.inf:
                continue
            way(others)
            start = clock()
            rows[name] = np.asarray(way(ids))
            seconds[name] = min(seconds[name], clock() - start)
        for found_rows in rows.values():
            np.testing.assert_allclose(found_rows, rows["dense"], rtol=1e-3, atol=1e-2)
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
        cells.append(f"bound {row.bound:6.2f}")
        print(f"rank {row.rank:2} batch {row.batch:5} {row.ids:7}: ttstack {ours:5.2f}; {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
