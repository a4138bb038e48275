"""What compressed tables cost in quality: AUC on a synthetic click log, and bytes, of four ways to keep the tables.

`python benchmarks/tensor_train/click_log.py [--rows N] [--steps K] [--ranks R ...] [--shared S ...]`; needs PyTorch.
Two features with Zipf-distributed ids decide on a click together, by tastes that every id has.

There are two logs. In one, ids are in no order, and every id has tastes of its own: nothing that rows could share. In
the other, ids are numbered by category, 64 in each, as many shops number their articles; a share of the variance of
tastes (0.9) is that of the category, and trains have a core for categories and one for what is in them. Popularity is
in no order in either.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ttstack.tensor_train import plan
from ttstack.tensor_train.torch import TensorTrainEmbedding

WIDTH = 16
TASTES = 4
ZIPF = 1.05
CATEGORY = 64  # ids in each, of the log that has categories
BATCH = 8192
HELD_OUT = 100_000


@dataclass(frozen=True)
class Result:
    """One way to keep the tables: bytes of both, and area under the ROC curve on clicks that were not trained on."""

    name: str
    nbytes: int
    auc: float


class ClickLog:
    """Clicks drawn without end; a seed gives the same ones again."""

    def __init__(self, rows: int, shared: float = 0.0) -> None:
        """`shared` is the share of the variance of tastes that consecutive ids, a category, have in common."""
        rng = np.random.default_rng(0)
        popularity = np.cumsum(np.arange(1, rows + 1) ** -ZIPF)
        self.popularity = popularity / popularity[-1]
        self.ids = [rng.permutation(rows) for _ in range(2)]
        category = np.arange(rows) // CATEGORY
        self.tastes = [
            shared**0.5 * rng.standard_normal((rows, TASTES), np.float32)[category]
            + (1 - shared) ** 0.5 * rng.standard_normal((rows, TASTES), np.float32)
            for _ in range(2)
        ]

    def draw(self, count: int, seed: int) -> tuple[Tensor, Tensor]:
        """Ids `(2, count)` and whether they were clicked."""
        rng = np.random.default_rng(seed)
        ids = np.stack([ids[np.searchsorted(self.popularity, rng.uniform(size=count))] for ids in self.ids])
        match = (self.tastes[0][ids[0]] * self.tastes[1][ids[1]]).sum(axis=1)
        clicks = match + rng.logistic(size=count) > 0
        return torch.from_numpy(ids), torch.from_numpy(clicks.astype(np.float32))


class Model(nn.Module):
    """Two tables, their rows' product and a small network: a recommender at its smallest."""

    def __init__(self, tables: list[nn.Module]) -> None:
        super().__init__()
        self.tables = nn.ModuleList(tables)
        self.top = nn.Sequential(nn.Linear(3 * WIDTH, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, ids: Tensor) -> Tensor:
        """Logits of clicks."""
        first, second = (table(column) for table, column in zip(self.tables, ids, strict=True))
        return self.top(torch.cat([first, second, first * second * WIDTH], dim=1))[:, 0]


def train(model: nn.Module, log: ClickLog, steps: int, rate: float, first_seed: int = 1) -> None:
    """Adagrad on batches of clicks."""
    optimizer = torch.optim.Adagrad(model.parameters(), lr=rate)
    for step in range(steps):
        ids, clicks = log.draw(BATCH, first_seed + step)
        loss = functional.binary_cross_entropy_with_logits(model(ids), clicks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def auc(model: nn.Module, log: ClickLog) -> float:
    """Probability that a click scores above a non-click (Mann and Whitney's statistic)."""
    ids, clicks = log.draw(HELD_OUT, 0)
    with torch.inference_mode():
        order = torch.argsort(model(ids))
    ranks = torch.empty(len(order), dtype=torch.float64)
    ranks[order] = torch.arange(1, len(order) + 1, dtype=torch.float64)
    positive = clicks.bool()
    wins = ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    return float(wins / (positive.sum() * (~positive).sum()))


def fresh(table: Callable[[], nn.Module]) -> Model:
    """A model whose network starts as every other's."""
    torch.manual_seed(0)
    return Model([table() for _ in range(2)])


def with_tables(model: Model, tables: list[nn.Module]) -> Model:
    """The model with other tables and a copy of its network."""
    other = Model(tables)
    other.top.load_state_dict(model.top.state_dict())
    return other


def int8_rows(table: nn.Embedding) -> nn.Embedding:
    """Rows rounded to 255 steps of their largest magnitude."""
    weight = table.weight.detach()
    step = weight.abs().amax(dim=1, keepdim=True).clamp_min(1e-30) / 127
    return nn.Embedding.from_pretrained((weight / step).round() * step)


def results(rows: int, steps: int, fine_tuned: int, ranks: tuple[int, ...], shared: float = 0.0) -> Iterator[Result]:
    """Train and judge; every way sees the same clicks."""
    log, dense_bytes = ClickLog(rows, shared), 2 * rows * WIDTH * 4
    dense = fresh(lambda: nn.Embedding(rows, WIDTH, _weight=torch.randn(rows, WIDTH) * (3 * rows) ** -0.5))
    train(dense, log, steps, 0.1)
    yield Result("dense", dense_bytes, auc(dense, log))
    yield Result(
        "int8 rows", 2 * rows * (WIDTH + 4), auc(with_tables(dense, [int8_rows(t) for t in dense.tables]), log)
    )
    for rank in ranks:
        made = plan(rows, WIDTH, ranks=rank, row_factors=(-(-rows // CATEGORY), CATEGORY) if shared else None)
        nbytes = 2 * made.nbytes(4)
        trained = fresh(lambda made=made: TensorTrainEmbedding(rows, WIDTH, plan=made))
        train(trained, log, steps, 0.1)
        yield Result(f"trained in Tensor-Train form, rank {rank}", nbytes, auc(trained, log))
        cut = [TensorTrainEmbedding.from_pretrained(t.weight, freeze=False, plan=made) for t in dense.tables]
        decomposed = with_tables(dense, cut)
        yield Result(f"decomposed, rank {rank}", nbytes, auc(decomposed, log))
        train(decomposed, log, fine_tuned, 0.05, first_seed=steps + 1)
        yield Result(f"decomposed, {fine_tuned} steps on, rank {rank}", nbytes, auc(decomposed, log))


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--fine-tuned", type=int, default=200)
    parser.add_argument("--ranks", type=int, nargs="*", default=(16,))
    parser.add_argument("--shared", type=float, nargs="*", default=(0.0, 0.9))
    given = parser.parse_args()
    for shared in given.shared:
        print(f"two tables of {given.rows:,} x {WIDTH}; {shared:.0%} of the tastes are the category's")
        best = None
        for result in results(given.rows, given.steps, given.fine_tuned, tuple(given.ranks), shared):
            best = best or result
            size = f"{result.nbytes:12,} bytes ({best.nbytes / result.nbytes:6.1f}x)"
            print(f"{result.name:42} {size} AUC {result.auc:.4f} ({result.auc - best.auc:+.4f})", flush=True)


if __name__ == "__main__":
    main()
