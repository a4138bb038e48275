"""Columns picked of products of all pairs for a layer: its weights pick them, with the same values in less time."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import ttstack

Pick = Callable[["Pairs", torch.Tensor], torch.Tensor]


class Pairs(nn.Module):
    """A layer of the products of pairs of features, with a feature of its own beside them."""

    pairs: torch.Tensor
    places: torch.Tensor

    def __init__(
        self, pick: Pick, *, features: int = 27, offset: int = -1, bias: bool = True, beside: str = ""
    ) -> None:
        super().__init__()
        self.pick, self.beside = pick, beside
        pairs = torch.tril_indices(features, features, offset)
        self.register_buffer("pairs", pairs)
        self.register_buffer("places", pairs[0] * features + pairs[1])
        self.layer = nn.LazyLinear(96, bias=bias)

    def columns(self, features: Sequence[torch.Tensor]) -> torch.Tensor:
        """What the layer reads."""
        stacked = torch.stack(tuple(features), dim=1)
        picked = self.pick(self, torch.bmm(stacked, stacked.transpose(1, 2)))
        parts = {"": [picked], "before": [features[0], picked], "after": [picked, features[0]]}
        return torch.cat(parts[self.beside], dim=1)

    def forward(self, *features: torch.Tensor) -> torch.Tensor:
        """[batch, width] for each feature to [batch, 96]."""
        return torch.relu(self.layer(self.columns(features)))


def by_two_indices(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products[:, model.pairs[0], model.pairs[1]]


def by_index_select(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products.flatten(1).index_select(1, model.places)


def by_one_index(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products.flatten(1)[:, model.places]


def by_gather(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products.flatten(1).gather(1, model.places.expand(len(products), -1))


def by_slices(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return torch.cat([products[:, i, :i] for i in range(1, products.shape[1])], dim=1)


def backwards(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return by_one_index(model, products).flip(1)[:, model.places.argsort(descending=True)]


def twice(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products.flatten(1)[:, torch.cat([model.places, model.places[:20], model.places[5:9]])]


def all_of_them(model: Pairs, products: torch.Tensor) -> torch.Tensor:
    return products.flatten(1)


def drawn(features: int = 27, batch: int = 64, width: int = 64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(batch, width, generator=generator) for _ in range(features)]


def run(program: ttstack.Program, given: Sequence[torch.Tensor]) -> torch.Tensor:
    named = dict(zip(program.inputs(), (x.float().numpy() for x in given), strict=True))
    (found,) = program.run(named).outputs.values()
    return torch.from_numpy(np.asarray(found, np.float32))


def compiled(
    model: nn.Module, given: Sequence[torch.Tensor], without: str | None = None, error: float = 1e-5
) -> ttstack.Program:
    with torch.no_grad():
        wanted = model.eval()(*given).float()
    program = ttstack.compile(model.requires_grad_(False), tuple(given), without=without)
    assert (run(program, given) - wanted).abs().max() <= error * wanted.abs().max()
    return program


def ops(program: ttstack.Program) -> Counter[str]:
    return Counter(op.name for op in program.cost().ops)


MOVES = {"gather", "embedding", "reshape", "broadcast", "slice_static"}


@pytest.mark.parametrize(
    ("pick", "beside"),
    [
        (by_two_indices, ""),
        (by_two_indices, "before"),
        (by_index_select, "after"),
        (by_one_index, ""),
        (by_gather, "before"),
        (by_slices, "after"),
        (backwards, ""),
        (twice, "before"),
    ],
)
def test_weights_pick_columns_of_all_pairs(pick: Pick, beside: str):
    picked, left = (
        compiled(Pairs(pick, beside=beside), drawn(), without) for without in (None, "fold-gather-into-weights")
    )
    assert not MOVES & {*ops(picked)}
    assert ops(picked)["concatenate_heads"] == 1
    assert MOVES & {*ops(left)}
    assert picked.cost().total_ns < 0.6 * left.cost().total_ns


@pytest.mark.parametrize("features", [12, 32])
@pytest.mark.parametrize("bias", [True, False])
def test_numbers_of_features_and_layers_without_a_bias(features: int, bias: bool):
    model, given = Pairs(by_two_indices, features=features, bias=bias, beside="before"), drawn(features)
    picked, left = (compiled(model, given, without) for without in (None, "fold-gather-into-weights"))
    assert not MOVES & {*ops(picked)}
    assert picked.cost().total_ns < left.cost().total_ns


def test_products_of_all_pairs_go_into_weights_without_a_pick():
    picked, left = (compiled(Pairs(all_of_them), drawn(), without) for without in (None, "fold-gather-into-weights"))
    assert ops(left)["reshape"] == 1
    assert ops(picked)["reshape"] == 0
    assert picked.cost().total_ns < left.cost().total_ns


def test_a_part_of_the_features_fills_them_up():
    given = drawn()
    program = compiled(Pairs(by_two_indices), given)
    assert ops(program)["pad"] == 0
    (product,) = (op for op in program.cost().ops if op.results[0].type.shape == (64, 32, 32))
    assert product.name == "matmul"


class Interaction(nn.Module):
    """The interaction of TorchRec's DLRM, pairs above the diagonal."""

    above: torch.Tensor

    def __init__(self, features: int = 26) -> None:
        super().__init__()
        above = torch.triu_indices(features + 1, features + 1, offset=1)
        self.register_buffer("above", above, persistent=False)
        self.over = nn.Linear(64 + above.shape[1], 128)

    def forward(self, dense: torch.Tensor, sparse: torch.Tensor) -> torch.Tensor:
        """[batch, 64] and [batch, features, 64] to [batch, 128]."""
        joined = torch.cat((dense.unsqueeze(1), sparse), dim=1)
        products = torch.bmm(joined, torch.transpose(joined, 1, 2))
        return self.over(torch.cat((dense, products[:, self.above[0], self.above[1]]), dim=1))


def test_features_that_come_together():
    given = [drawn(1)[0], torch.stack(drawn(26), dim=1)]
    picked, left = (compiled(Interaction(), given, without) for without in (None, "fold-gather-into-weights"))
    assert "gather" not in ops(picked)
    assert picked.cost().total_ns < left.cost().total_ns


def test_bf16():
    model, given = Pairs(by_two_indices, beside="before"), drawn()
    model(*given)
    program = compiled(model.bfloat16(), [x.bfloat16() for x in given], error=0.02)
    assert "gather" not in ops(program)


def test_weights_that_are_only_described():
    with torch.device("meta"):
        model = Pairs(by_two_indices, beside="before")
        given = [torch.empty(64, 64) for _ in range(27)]
        model(*given)
    for name, buffer in Pairs(by_two_indices).named_buffers():
        setattr(model, name, buffer)
    program = ttstack.compile(model.eval().requires_grad_(False), tuple(given))
    assert not MOVES & {*ops(program)}


def test_features_that_are_not_finite_show():
    """A row of results is as it was where a feature is infinite or no number, and others are not touched."""
    model, given = Pairs(by_two_indices, beside="before"), drawn()
    program = compiled(model, given)
    given[7][3, 5], given[11][9, 0] = torch.inf, torch.nan
    wanted, found = model(*given), run(program, given)
    assert torch.equal(wanted.isfinite().all(1), found.isfinite().all(1))
    assert found.isfinite().all(1).sum() == len(found) - 2


def test_one_sample():
    given = drawn(batch=1)
    compiled(Pairs(by_two_indices, beside="before"), given)


class Some(Pairs):
    """Pairs of the first features alone."""

    def __init__(self) -> None:
        super().__init__(lambda model, products: products[:, 1:9, 0])


class Given(nn.Module):
    """Some columns of an input."""

    places: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("places", torch.arange(0, 96, 3))
        self.layer = nn.Linear(32, 96)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, 96] to [batch, 96]."""
        return self.layer(x[:, self.places])


@pytest.mark.parametrize(("model", "given"), [(Some(), drawn()), (Given(), [torch.randn(64, 96)])])
def test_columns_beside_numbers_that_may_be_infinite_are_picked(model: nn.Module, given: list[torch.Tensor]):
    """Zero times infinity is not a number: what no pick is made of stays out of the product."""
    assert ops(compiled(model, given)) == ops(compiled(model, given, "fold-gather-into-weights"))


def test_columns_that_are_read_elsewhere_are_picked():
    class Twice(Pairs):
        def forward(self, *features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            columns = self.columns(features)
            return self.layer(columns), torch.sin(columns)

    model, given = Twice(by_two_indices).eval(), drawn()
    model(*given)
    program = ttstack.compile(model.requires_grad_(False), tuple(given))
    assert ops(program)["gather"] == 1
    assert ops(program)["linear"] == 1


def test_products_that_are_read_elsewhere_stay_as_they_are():
    class Twice(Pairs):
        def forward(self, *features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            stacked = torch.stack(features, dim=1)
            products = torch.bmm(stacked, stacked.transpose(1, 2))
            return self.layer(self.pick(self, products)), torch.sin(products)

    model, given = Twice(by_two_indices).eval(), drawn()
    wanted = model(*given)
    program = ttstack.compile(model.requires_grad_(False), tuple(given))
    named = dict(zip(program.inputs(), (x.numpy() for x in given), strict=True))
    for found, value in zip(program.run(named).outputs.values(), wanted, strict=True):
        assert (torch.from_numpy(found) - value).abs().max() <= 1e-5 * value.abs().max()
    assert "gather" not in ops(program)


def test_onnx(tmp_path: Path):
    generator = np.random.default_rng(0)
    places = np.flatnonzero(np.tri(27, 27, -1))
    weights = {
        "places": places,
        "shape": np.array([64, 729]),
        "weight": generator.standard_normal((len(places), 96), np.float32),
        "bias": generator.standard_normal(96, np.float32),
    }
    nodes = [
        helper.make_node("Transpose", ["x"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["x", "turned"], ["products"]),
        helper.make_node("Reshape", ["products", "shape"], ["flat"]),
        helper.make_node("Gather", ["flat", "places"], ["picked"], axis=1),
        helper.make_node("Gemm", ["picked", "weight", "bias"], ["y"]),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, [64, 27, 64])
    left = helper.make_tensor_value_info("y", TensorProto.FLOAT, [64, 96])
    held = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "pairs", [given], [left], held)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), tmp_path / "pairs.onnx")
    program = ttstack.compile(tmp_path / "pairs.onnx")
    assert not MOVES & {*ops(program)}
    x = generator.standard_normal((64, 27, 64), np.float32)
    products = (x @ x.transpose(0, 2, 1)).reshape(64, 729)
    wanted = products[:, places] @ weights["weight"] + weights["bias"]
    (found,) = program.run({"x": x}).outputs.values()
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()
