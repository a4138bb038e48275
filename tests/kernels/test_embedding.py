"""Lookups against torch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.kernel_of import kernel_of
from ttstack.diagnostics import ExecutionError
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType
from ttstack.tensor_train import bags

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.mark.parametrize("index_type", [np.int32, np.uint32, np.int64, np.float32])
@pytest.mark.parametrize("table", [(10, 4), (1, 1, 10, 4)])
def test_embedding(table, index_type, run, agree, rng):
    weight, indices = rng.standard_normal(table).astype(np.float32), rng.integers(0, 10, (2, 3))
    agree(run("embedding", indices.astype(index_type), weight), weight.reshape(10, 4)[indices])


@pytest.mark.parametrize("bad", [-1, 10])
@pytest.mark.parametrize("name", ["embedding", "embedding_bag"])
def test_an_index_outside_of_the_table(name, bad, run):
    with pytest.raises(ExecutionError, match=f"index {bad} is outside of a table of 10 rows"):
        run(name, np.array([[0, bad]]), np.zeros((10, 4), np.float32))


def test_embedding_backward(run, agree, rng):
    weight, indices = rng.standard_normal((9, 4)), rng.integers(0, 6, (2, 7))
    gradient = rng.standard_normal((2, 7, 4))
    leaf = torch.from_numpy(weight).requires_grad_()
    F.embedding(torch.from_numpy(indices), leaf).backward(torch.from_numpy(gradient))
    agree(run("embedding_backward", indices, weight, gradient), leaf.grad)
    agree(run("embedding_backward", indices, weight[None, None], gradient[None])[0, 0], leaf.grad)


@settings(deadline=None, max_examples=80)
@given(
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    mode=st.sampled_from(["sum", "mean", "max"]),
    include_last=st.booleans(),
    weighted=st.booleans(),
    padding=st.sampled_from([-1, 0, 3]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_bags_by_offsets(lengths, mode, *, include_last, weighted, padding, dtype):
    rng = np.random.default_rng(sum(lengths))
    weight, indices = rng.standard_normal((8, 5)).astype(dtype), rng.integers(0, 8, sum(lengths))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    offsets = offsets if include_last else offsets[:-1]
    samples = rng.standard_normal(len(indices)).astype(dtype) if weighted and mode == "sum" else None
    got = kernel_of("embedding_bag")(
        indices, weight, offsets, samples, mode=mode, include_last_offset=include_last, padding_idx=padding
    )
    wanted = F.embedding_bag(
        torch.from_numpy(indices),
        torch.from_numpy(weight),
        torch.from_numpy(offsets),
        mode=mode,
        per_sample_weights=None if samples is None else torch.from_numpy(samples),
        include_last_offset=include_last,
        padding_idx=None if padding == -1 else padding,
    )
    assert got.dtype == dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-5 if dtype == np.float32 else 1e-12, atol=1e-6)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [-1, 2])
def test_bags_of_rows(mode, padding, run, agree, rng):
    weight, indices = rng.standard_normal((8, 5)), rng.integers(0, 8, (6, 3)).astype(np.int32)
    indices[0] = 2
    wanted = F.embedding_bag(
        torch.from_numpy(indices),
        torch.from_numpy(weight),
        mode=mode,
        padding_idx=None if padding == -1 else padding,
    )
    agree(run("embedding_bag", indices, weight, mode=mode, padding_idx=padding), wanted)


def test_bags_in_several_chunks(run, agree, rng, monkeypatch):
    monkeypatch.setattr(bags, "_CHUNK_ELEMENTS", 40)
    weight, indices = rng.standard_normal((8, 5)), rng.integers(0, 8, (31, 3))
    agree(run("embedding_bag", indices, weight), weight[indices].sum(1))


def test_flat_indices_need_offsets(run):
    with pytest.raises(ExecutionError, match="need offsets"):
        run("embedding_bag", np.array([0, 1]), np.zeros((4, 2)))


@pytest.mark.parametrize("offsets", [[0, 5], [0, 2, 1], [-1, 0], [1, 2]])
def test_offsets_must_ascend(offsets, run):
    with pytest.raises(ExecutionError, match="do not ascend"):
        run("embedding_bag", np.array([0, 1, 2]), np.zeros((4, 2)), np.array(offsets))


@pytest.mark.parametrize("weighted", [False, True])
def test_bags_of_a_train_take_offsets_and_then_weights(agree, rng, *, weighted: bool):
    train = TensorTrainType.of(6, 4, (2, 3), (2, 2), (1, 4, 1), DType.F32)
    cores = [rng.standard_normal(core.shape).astype(np.float32) for core in train.cores]
    table = kernel_of("tensor_train_reconstruct")(*cores, train=train)
    indices, offsets = rng.integers(0, 6, 7), np.array([0, 3, 5])
    samples = (rng.standard_normal(7).astype(np.float32),) if weighted else ()
    got = kernel_of("tensor_train_embedding_bag")(indices, *cores, offsets, *samples, train=train)
    agree(got, kernel_of("embedding_bag")(indices, table, offsets, *samples))
