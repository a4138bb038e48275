"""`masked_scatter` by a mask of tokens, as features of images replace tokens of a text: rows are looked up."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

WIDTH = 64


class ImageFeatures(nn.Module):
    """Embeddings of a text, in which tokens of one number are replaced by features of an image."""

    def forward(self, embeddings: Tensor, tokens: Tensor, features: Tensor) -> Tensor:
        mask = (tokens == 7).unsqueeze(-1).expand_as(embeddings)
        return embeddings.masked_scatter(mask, features)


class Planes(nn.Module):
    """A mask with rows for several trailing dimensions, which `masked_scatter` broadcasts itself."""

    def forward(self, x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        return x.masked_scatter(mask == 7, source)


def lookups(program: ttstack.Program) -> list[tuple[int, ...]]:
    return [op.operands[1].type.shape for op in program.cost().ops if op.name == "embedding"]


def check(model: nn.Module, *inputs: Tensor) -> ttstack.Program:
    program = ttstack.compile(model, inputs)
    values = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    (result,) = program.run(values).outputs.values()
    np.testing.assert_array_equal(result, model(*inputs).numpy())
    return program


@pytest.mark.parametrize("rest", [0, 5], ids=["whole rows", "a part of a row is left over"])
def test_a_mask_of_tokens_looks_up_rows(rest: int):
    torch.manual_seed(0)
    tokens = torch.randint(6, 8, (2, 40))
    rows = int((tokens == 7).sum())
    program = check(ImageFeatures(), torch.randn(2, 40, WIDTH), tokens, torch.randn(rows * WIDTH + rest))
    assert lookups(program) == [(rows, WIDTH)]


def test_a_mask_without_trailing_dimensions_looks_up_planes():
    torch.manual_seed(0)
    mask = torch.randint(6, 8, (3, 8, 1, 1))
    program = check(Planes(), torch.randn(3, 8, 4, 5), mask, torch.randn(24, 4, 5))
    assert lookups(program) == [(24, 20)]


@pytest.mark.parametrize("shape", [(4, 6), (1, 6)], ids=["a mask of elements", "a mask of columns"])
def test_other_masks_look_up_elements(shape: tuple[int, ...]):
    torch.manual_seed(0)
    program = check(Planes(), torch.randn(4, 6), torch.randint(6, 8, shape), torch.randn(24))
    assert lookups(program) == [(24, 1)]


def test_a_source_that_is_shorter_than_a_row_is_looked_up_by_elements():
    x = torch.randn(4, WIDTH)
    program = check(Planes(), x, torch.zeros(4, 1, dtype=torch.int64), torch.randn(WIDTH - 1))
    assert lookups(program) == [(WIDTH - 1, 1)]


def test_image_features_of_a_vision_language_model_take_no_longer_than_its_rows():
    with torch.device("meta"):
        inputs = torch.empty(1, 640, 2048), torch.empty(1, 640, dtype=torch.int64), torch.empty(576, 2048)
    program = ttstack.compile(ImageFeatures(), inputs, dtype="bf16", system_desc="wormhole")
    assert program.cost().total_ns < 200_000
