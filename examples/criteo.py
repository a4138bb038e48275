"""DLRM with the tables of Criteo's click logs, the large ones dense or in Tensor-Train form.

ttstack compile examples.criteo:kaggle            # Tensor-Train, 33.8 million rows
ttstack compile examples.criteo:terabyte_dense    # described, not allocated: does not fit a card
ttstack compile examples.criteo:terabyte
"""

from collections.abc import Callable, Sequence

import torch
from torch import nn

from examples.zoo.dlrm import dense_stack
from ttstack.tensor_train import plan
from ttstack.tensor_train.torch import TensorTrainEmbeddingBag

Example = tuple[nn.Module, tuple[object, ...]]

KAGGLE = (1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10,
          5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572)  # fmt: skip
"""Values of the 26 categorical features of the Kaggle challenge: facebookresearch/dlrm, without a threshold."""

TERABYTE = (40000000, 39060, 17295, 7424, 20265, 3, 7122, 1543, 63, 40000000, 3067956, 405282, 10, 2209, 11938, 155, 4,
            976, 14, 40000000, 40000000, 40000000, 590152, 12973, 108, 36)  # fmt: skip
"""Those of the Terabyte log capped at 40 million: mlcommons/training, recommendation_v2, num_embeddings_per_feature."""

LARGE = 100_000
"""Rows from which a table gets Tensor-Train form."""


class CriteoDLRM(nn.Module):
    """Bottom MLP, one lookup for each table, dot products of all pairs, top MLP (Naumov et al. 2019)."""

    def __init__(self, tables: Sequence[nn.Module], bottom: Sequence[int], top: Sequence[int]) -> None:
        super().__init__()
        self.bottom = dense_stack(*bottom)
        self.tables = nn.ModuleList(tables)
        count = len(tables) + 1
        self.top = nn.Sequential(*dense_stack(bottom[-1] + count * (count - 1) // 2, *top), nn.Linear(top[-1], 1))
        self.register_buffer("pairs", torch.tril_indices(count, count, -1, device="cpu"), persistent=False)

    def forward(self, dense: torch.Tensor, ids: list[torch.Tensor], offsets: torch.Tensor) -> torch.Tensor:
        """The probability of a click for each example, from (batch, 13), ids for each table and where bags start."""
        x = self.bottom(dense)
        bags = [table(i, offsets) for table, i in zip(self.tables, ids, strict=True)]
        features = torch.stack([x, *bags], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))[:, self.pairs[0], self.pairs[1]]
        return torch.sigmoid(self.top(torch.cat([x, products], dim=1)))


def kaggle(rank: int = 32, batch: int = 128) -> Example:
    """33.8 million rows of width 16; the seven tables of more than 100,000 rows in Tensor-Train form."""
    return _build(KAGGLE, 16, lambda rows: _train(rows, 16, rank), ((13, 512, 256, 64, 16), (512, 256)), batch)


def kaggle_dense(batch: int = 128) -> Example:
    """The same with dense tables, described and not allocated."""
    with torch.device("meta"):
        return _build(KAGGLE, 16, lambda rows: _dense(rows, 16), ((13, 512, 256, 64, 16), (512, 256)), batch)


def terabyte(rank: int = 32, batch: int = 128) -> Example:
    """204 million rows of width 128; the eight tables of more than 100,000 rows in Tensor-Train form; described."""
    with torch.device("meta"):
        return _build(TERABYTE, 128, lambda rows: _train(rows, 128, rank), _TERABYTE_MLPS, batch)


def terabyte_dense(batch: int = 128) -> Example:
    """The same with dense tables: 97 GiB in float32."""
    with torch.device("meta"):
        return _build(TERABYTE, 128, lambda rows: _dense(rows, 128), _TERABYTE_MLPS, batch)


_TERABYTE_MLPS = ((13, 512, 256, 128), (1024, 1024, 512, 256))


def _dense(rows: int, width: int) -> nn.Module:
    return nn.EmbeddingBag(rows, width, mode="sum")


def _train(rows: int, width: int, rank: int) -> nn.Module:
    """Three cores whose slices are whole tiles where they can be."""
    return TensorTrainEmbeddingBag(rows, width, mode="sum", plan=plan(rows, width, ranks=rank, target=(32, 32)))


def _build(
    cardinalities: Sequence[int],
    width: int,
    large: Callable[[int], nn.Module],
    mlps: tuple[Sequence[int], Sequence[int]],
    batch: int,
) -> Example:
    torch.manual_seed(0)
    tables = [large(rows) if rows > LARGE else _dense(rows, width) for rows in cardinalities]
    ids = [torch.randint(0, rows, (batch,)) for rows in cardinalities]
    return CriteoDLRM(tables, *mlps).eval(), (torch.randn(batch, 13), ids, torch.arange(batch))
