"""Embeddings of PyTorch in Tensor-Train form: values, gradients, export, start, and checkpoints of others."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tensor_train.tables import random_train
from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train import plan

torch = pytest.importorskip("torch")

from ttstack.tensor_train.torch import TensorTrainEmbedding, TensorTrainEmbeddingBag, read_checkpoint  # noqa: E402

PLAN = plan(990, 12, ranks=(5, 6), row_factors=(9, 10, 11), col_factors=(2, 2, 3))


def _bag(**arguments):
    """A module and the dense one that it stands for, in float64."""
    torch.manual_seed(0)
    module = TensorTrainEmbeddingBag(990, 12, plan=PLAN, dtype=torch.float64, **arguments)
    table = torch.from_numpy(module.tensor_train().to_dense())
    return module, torch.nn.EmbeddingBag.from_pretrained(table, freeze=False, **arguments)


@pytest.mark.parametrize("count", [0, 1, 7, 4000])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_embedding(order, count, rng):
    train = random_train(plan(1000, 24, ranks=3 if order > 1 else [], order=order), rng)
    module = TensorTrainEmbedding.from_tensor_train(train)
    indices = rng.integers(0, 1000, count)
    wanted = train.to_dense()[indices]
    np.testing.assert_allclose(module(torch.from_numpy(indices)).detach(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("include_last", [False, True])
@pytest.mark.parametrize("padding", [None, -1])
@pytest.mark.parametrize("weighted", [False, True])
def test_bags_and_gradients_equal_those_of_the_dense_table(mode, include_last, padding, weighted, rng):
    module, dense = _bag(mode=mode, include_last_offset=include_last, padding_idx=padding)
    lengths = [3, 0, 1, 40, 0]
    offsets = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)])[: None if include_last else -1])
    indices = torch.from_numpy(rng.choice([3, 989, 5, 600], sum(lengths)))
    weights = torch.from_numpy(rng.standard_normal(44)).requires_grad_() if weighted and mode == "sum" else None
    twin = None if weights is None else weights.detach().clone().requires_grad_()
    got, wanted = module(indices, offsets, weights), dense(indices, offsets, twin)
    torch.testing.assert_close(got, wanted)
    toward = torch.from_numpy(rng.standard_normal(got.shape))
    got.backward(toward)
    wanted.backward(toward)
    if weights is not None:
        assert twin is not None
        torch.testing.assert_close(weights.grad, twin.grad)
    for grad, expected in zip((c.grad for c in module.cores), _gradients(module, dense.weight.grad), strict=True):
        torch.testing.assert_close(grad, expected)


def _gradients(module, table_gradient):
    """Gradients of the cores by the definition of the table."""
    leaves = [core.detach().clone().requires_grad_() for core in module.cores]
    folded = zip(leaves, ((9, 1, 2, 5), (10, 5, 2, 6), (11, 6, 3, 1)), strict=True)
    table = torch.einsum("aibr,crds,fsgt->acfbdg", *(leaf.view(shape) for leaf, shape in folded)).reshape(990, 12)
    return torch.autograd.grad(table, leaves, table_gradient)


def test_the_row_of_padding_is_zero_and_learns_nothing():
    module = TensorTrainEmbedding(990, 12, padding_idx=-1, plan=PLAN)
    rows = module(torch.tensor([989, 989]))
    assert not rows.any()
    rows.sum().backward()
    assert not any(core.grad.any() for core in module.cores)


@pytest.mark.parametrize("dynamic", [False, True])
def test_export_keeps_one_op(dynamic):
    module, _ = _bag(mode="sum")
    indices, offsets = torch.tensor([3, 989, 5]), torch.tensor([0, 1])
    shapes = ({0: torch.export.Dim("n", min=2)}, {0: torch.export.Dim("bags", min=2)}) if dynamic else None
    program = torch.export.export(module, (indices, offsets), dynamic_shapes=shapes)
    called = [node.target for node in program.graph.nodes if node.op == "call_function"]
    assert called == [torch.ops.ttstack.tensor_train_embedding_bag.default]
    torch.testing.assert_close(program.module()(indices, offsets), module(indices, offsets))


def test_the_ops_are_well_formed():
    kinds = ("test_schema", "test_autograd_registration", "test_faketensor")
    cores = [core.detach().requires_grad_() for core in _bag()[0].cores]
    indices = torch.tensor([[3, 989], [5, 3]])
    for op in (torch.ops.ttstack.tensor_train_embedding, torch.ops.ttstack.tensor_train_embedding_bag):
        torch.library.opcheck(op.default, (indices, cores, 990, [2, 2, 3]), test_utils=kinds)


@pytest.mark.parametrize("ranks", [4, 32])
def test_rows_start_as_those_of_a_dense_table_of_tt_rec(ranks):
    torch.manual_seed(0)
    module = TensorTrainEmbedding(100_000, 64, ranks=ranks)
    table = module.tensor_train().to_dense(slice(0, 20_000))
    assert abs(table.mean()) < 0.1 * table.std()
    assert table.std() == pytest.approx((3 * 100_000) ** -0.5, rel=0.15)


def test_a_table_learns():
    torch.manual_seed(0)
    module = TensorTrainEmbedding(1000, 8, ranks=8)
    ids, wanted = torch.arange(0, 1000, 31), torch.randn(33, 8)
    optimizer = torch.optim.Adam(module.parameters(), lr=0.05)
    loss = torch.tensor(torch.inf)
    for _ in range(150):
        loss = (module(ids) - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 0.1


def test_cores_keep_their_type(rng):
    train = random_train(PLAN, rng, np.float64)
    module = TensorTrainEmbeddingBag.from_tensor_train(train, mode="sum")
    assert module.cores[0].dtype == torch.float64
    assert all(np.array_equal(a, b) for a, b in zip(module.tensor_train().cores, train.cores, strict=True))


def test_from_a_dense_table(rng):
    dense = torch.nn.Embedding.from_pretrained(torch.from_numpy(random_train(PLAN, rng).to_dense()))
    module = TensorTrainEmbedding.from_pretrained(dense.weight, plan=PLAN)
    indices = torch.arange(990)
    torch.testing.assert_close(module(indices), dense(indices), rtol=1e-4, atol=1e-4)
    assert not any(parameter.requires_grad for parameter in module.parameters())


def test_a_described_table_takes_no_memory():
    module = TensorTrainEmbeddingBag(40_000_000, 128, ranks=32, device="meta")
    assert module(torch.zeros((3, 5), dtype=torch.long, device="meta")).shape == (3, 128)


def test_checkpoints_of_fbtt_embedding(rng):
    train = random_train(PLAN, rng)
    state = {f"table.tt_cores.{k}": torch.from_numpy(c.reshape(1, len(c), -1)) for k, c in enumerate(train.cores)}
    state |= {
        "table.L": torch.tensor([110, 11, 1]),
        "table.hashtbl": torch.empty(0),
        "table.optimizer_state.0": torch.empty(0),
    }
    read = read_checkpoint(state, prefix="table.", rows=990, col_factors=(2, 2, 3))
    np.testing.assert_allclose(read.to_dense(), train.to_dense(), atol=1e-4)
    model = torch.nn.ModuleDict({"table": TensorTrainEmbeddingBag(990, 12, plan=PLAN)})
    assert model.load_state_dict(state).missing_keys == []
    np.testing.assert_allclose(model["table"].tensor_train().to_dense(), train.to_dense(), atol=1e-4)
    with pytest.raises(TensorTrainError, match="rows in FBTT-Embedding's cache"):
        model.load_state_dict(state | {"table.cache_state": torch.zeros(9)})
    with pytest.raises(TensorTrainError, match="not how the columns factor"):
        read_checkpoint(state, prefix="table.")
    with pytest.raises(TensorTrainError, match="are not a multiple of rank 4 x 2 columns"):
        read_checkpoint(state, prefix="table.", col_factors=(2, 3, 2))


def test_checkpoints_of_tensorly_torch(rng):
    train = random_train(PLAN, rng)
    shapes = ((9, 1, 2, 5), (10, 5, 2, 6), (11, 6, 3, 1))
    factors = [torch.from_numpy(c).view(s).transpose(0, 1) for c, s in zip(train.cores, shapes, strict=True)]
    state = {f"weight.factors.factor_{k}": factor.contiguous() for k, factor in enumerate(factors)}
    np.testing.assert_allclose(read_checkpoint(state).to_dense(), train.to_dense(), atol=1e-4)
    module = TensorTrainEmbedding(990, 12, plan=PLAN)
    module.load_state_dict(state)
    np.testing.assert_allclose(module.tensor_train().to_dense(), train.to_dense(), atol=1e-4)
    with pytest.raises(TensorTrainError, match="not a block tensor-train"):
        read_checkpoint({"weight.factors.factor_0": torch.zeros(4, 3)})
    with pytest.raises(TensorTrainError, match="no Tensor-Train table begins with ''"):
        read_checkpoint({"weight": torch.zeros(4, 3)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_norm": 1.0}, "max_norm has no meaning"),
        ({"sparse": True}, "sparse has no meaning"),
        ({"scale_grad_by_freq": True}, "scale_grad_by_freq has no meaning"),
        ({"padding_idx": 990}, "padding_idx 990 is outside of a table of 990 rows"),
        ({"mode": "min"}, "mode is 'min'"),
        ({"plan": replace(PLAN, rows=980)}, "the plan is for 980 x 12, the module for 990 x 12"),
    ],
)
def test_modules_that_are_refused(arguments, message):
    with pytest.raises(TensorTrainError, match=message):
        TensorTrainEmbeddingBag(990, 12, **({"plan": PLAN} | arguments))


@pytest.mark.parametrize("bad", [-1, 990])
def test_an_index_outside_of_the_table(bad):
    with pytest.raises(TensorTrainError, match=f"index {bad} is outside of a table of 990 rows"):
        _bag()[0](torch.tensor([[5, bad]]))


@pytest.mark.parametrize("weighted", [False, True])
def test_training_steps_are_compiled_whole(weighted):
    module = TensorTrainEmbeddingBag(500, 16, mode="sum", ranks=4)
    ids, offsets = torch.randint(0, 500, (18,)), torch.tensor([0, 4, 4, 9])
    weights = torch.rand(18, requires_grad=True) if weighted else None
    learnt = [*module.parameters(), *([weights] if weighted else [])]

    def loss():
        return module(ids, offsets, weights).square().sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for eager, traced in zip(*(torch.autograd.grad(run(), learnt) for run in (loss, compiled)), strict=True):
        assert torch.equal(eager, traced)
