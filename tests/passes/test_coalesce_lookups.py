"""Elements that are looked up together are looked up as rows: the same values in less time."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

WIDTH, ROWS = 96, 1500
TABLE = torch.randn(ROWS * WIDTH, generator=torch.Generator().manual_seed(0))
CHOSEN = torch.randint(0, ROWS, (1000,), generator=torch.Generator().manual_seed(1))


class SampledFeatures(nn.Module):
    """Features of a detector at points between pixels."""

    def forward(self, features: Tensor, points: Tensor) -> Tensor:
        return nn.functional.grid_sample(features, points, align_corners=False)


class RowsOfNumbers(nn.Module):
    def forward(self, table: Tensor, rows: Tensor) -> Tensor:
        return table[rows[:, None] * WIDTH + torch.arange(WIDTH)]


class ColumnsOfNumbers(nn.Module):
    def forward(self, table: Tensor, columns: Tensor) -> Tensor:
        return torch.nn.functional.embedding(torch.arange(WIDTH)[:, None] * ROWS + columns, table[:, None])[..., 0]


class BestTokens(nn.Module):
    """Features of chosen tokens, as two-stage detectors and masked autoencoders gather them."""

    def forward(self, features: Tensor, tokens: Tensor) -> Tensor:
        return torch.gather(features, 1, tokens[..., None].expand(-1, -1, features.shape[2]))


class Windows(nn.Module):
    """Windows that begin anywhere."""

    def forward(self, table: Tensor, begins: Tensor) -> Tensor:
        return table[begins[:, None] + torch.arange(WIDTH)]


class Blocks(nn.Module):
    """Columns of three blocks, of which nothing shows that they are in their block."""

    def forward(self, table: Tensor, columns: Tensor) -> Tensor:
        blocks = torch.arange(3)[:, None, None] * (ROWS * WIDTH // 3)
        return table[blocks + torch.arange(WIDTH)[:, None] * (ROWS // 3) + columns]


class Elements(nn.Module):
    def forward(self, features: Tensor, tokens: Tensor) -> Tensor:
        return torch.gather(features, 1, tokens)


def tables(model: nn.Module, *inputs: Tensor) -> list[tuple[int, ...]]:
    """Compile for bf16, in which lookups of rows are fastest, compare values in f32, and list the tables."""
    program = ttstack.compile(model, inputs, dtype="bf16")
    values = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    (result,) = program.run(values).outputs.values()
    np.testing.assert_allclose(result, model(*inputs).numpy(), rtol=1e-5, atol=1e-5)
    return [op.operands[1].type.shape for op in program.cost().ops if op.name == "embedding"]


@pytest.mark.parametrize(("batch", "channels"), [(1, 64), (3, 40)])
def test_sampled_features_are_rows_of_channels(batch: int, channels: int):
    torch.manual_seed(0)
    features, points = torch.randn(batch, channels, 20, 16), torch.rand(batch, 30, 30, 2) * 2.4 - 1.2
    assert tables(SampledFeatures(), features, points) == [(batch * 320, channels)] * 4


@pytest.mark.parametrize("model", [RowsOfNumbers(), ColumnsOfNumbers()])
def test_numbers_at_equal_steps_are_rows(model: nn.Module):
    assert tables(model, TABLE, CHOSEN) == [(ROWS, WIDTH)]


def test_rows_are_counted_from_the_end_as_their_numbers_are():
    assert tables(RowsOfNumbers(), TABLE, CHOSEN - ROWS) == [(ROWS, WIDTH)]


def test_columns_that_are_counted_from_the_end_stay_elements():
    class Signed(ColumnsOfNumbers):
        def forward(self, table: Tensor, columns: Tensor) -> Tensor:
            return table[torch.arange(WIDTH)[:, None] * ROWS + columns]

    assert tables(Signed(), TABLE, CHOSEN - WIDTH * ROWS // 2) == [(TABLE.numel(), 1)]


@pytest.mark.parametrize("batch", [1, 2])
def test_an_index_for_all_features_of_a_token_is_a_row(batch: int):
    torch.manual_seed(0)
    features, tokens = torch.randn(batch, 1024, 512), torch.randint(0, 1024, (batch, 320))
    assert tables(BestTokens(), features, tokens) == [(batch * 1024, 512)]


def test_windows_and_columns_of_any_block_stay_elements():
    assert tables(Windows(), TABLE, CHOSEN) == [(TABLE.numel(), 1)]
    assert tables(Blocks(), TABLE, CHOSEN % (ROWS // 3)) == [(TABLE.numel(), 1)]


def test_an_index_for_each_element_stays():
    torch.manual_seed(0)
    assert tables(Elements(), torch.randn(2, 50, 64), torch.randint(0, 50, (2, 20, 64))) == []


def test_a_part_of_the_features_stays_gathered():
    torch.manual_seed(0)

    class Part(nn.Module):
        def forward(self, features: Tensor, tokens: Tensor) -> Tensor:
            return torch.gather(features, 1, tokens[..., None].expand(-1, -1, 32))

    assert tables(Part(), torch.randn(2, 50, 64), torch.randint(0, 50, (2, 20))) == []


def test_sampled_features_of_a_detector_are_looked_up_in_less_time():
    with torch.device("meta"):
        inputs = torch.empty(1, 64, 20, 20), torch.empty(1, 30, 30, 2)
    alone, coalesced = (
        ttstack.compile(SampledFeatures(), inputs, dtype="bf16", without=left) for left in ("coalesce-lookups", None)
    )
    assert coalesced.cost().total_ns < 0.2 * alone.cost().total_ns
