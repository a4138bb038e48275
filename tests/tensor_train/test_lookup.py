"""Lookups and pooling against the reconstructed table, and against torch."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.tensor_train.tables import random_train, rel_error
from ttstack.diagnostics import OutputError, TensorTrainError
from ttstack.tensor_train import TensorTrain, decompose, plan

torch = pytest.importorskip("torch")


@pytest.fixture
def train(rng):
    return random_train(plan(990, 12, ranks=(5, 6), row_factors=(9, 10, 11), col_factors=(2, 2, 3)), rng, np.float64)


def _written_out(train):
    """The table by the definition: a product of slices for each row and column."""
    cores = [
        core.reshape(n, core.shape[1], m, -1)
        for core, n, m in zip(train.cores, train.plan.row_factors, train.plan.col_factors, strict=True)
    ]
    table = np.einsum("aibr,crds,fsgt->acfbdg", *cores)
    return table.reshape(train.plan.padded_rows, train.plan.cols)[: train.plan.rows]


def test_to_dense_is_the_product_of_the_cores(train):
    table = _written_out(train)
    np.testing.assert_allclose(train.to_dense(), table)
    for rows in (slice(13, 400), slice(980, None), slice(5, 5), slice(0, 990, 7)):
        np.testing.assert_allclose(train.to_dense(rows), table[rows])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [0, 1, 20, 3000])
def test_lookup(order, count, rng):
    train = random_train(plan(1000, 24, ranks=3 if order > 1 else [], order=order), rng)
    indices = rng.integers(0, 1000, count)
    np.testing.assert_allclose(train.lookup(indices), train.to_dense()[indices], rtol=1e-4, atol=1e-4)


def test_lookup_of_any_shape_and_type(train):
    table = train.to_dense()
    for indices in ([[3, 4], [989, 0]], np.array(7), np.arange(5, dtype=np.uint8), []):
        np.testing.assert_allclose(train.lookup(indices), table[np.asarray(indices, int)])


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("include_last", [False, True])
@pytest.mark.parametrize("padding", [None, 3, -1])
@pytest.mark.parametrize("weighted", [False, True])
def test_bags_equal_torch(train, rng, mode, include_last, padding, weighted):
    lengths = [3, 0, 1, 40, 0]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    offsets = offsets if include_last else offsets[:-1]
    indices = rng.choice([3, 989, 5, 600], sum(lengths))
    weights = rng.standard_normal(len(indices)) if weighted and mode == "sum" else None
    got = train.embedding_bag(
        indices, offsets, mode=mode, per_sample_weights=weights, include_last_offset=include_last, padding_idx=padding
    )
    wanted = torch.nn.functional.embedding_bag(
        torch.from_numpy(indices),
        torch.from_numpy(train.to_dense()),
        torch.from_numpy(offsets),
        mode=mode,
        per_sample_weights=None if weights is None else torch.from_numpy(weights),
        include_last_offset=include_last,
        padding_idx=padding,
    )
    np.testing.assert_allclose(got, wanted.numpy(), atol=1e-12)


def test_bags_of_one_length(train, rng):
    indices = rng.integers(0, 990, (6, 5))
    np.testing.assert_allclose(train.embedding_bag(indices, mode="mean"), train.to_dense()[indices].mean(axis=1))


@pytest.mark.parametrize("bad", [-1, 990, 2**40])
def test_an_index_outside_of_the_table(train, bad):
    with pytest.raises(TensorTrainError, match=f"index {bad} is outside of a table of 990 rows"):
        train.lookup([[5, bad]])


def test_an_index_that_falls_into_the_padding(rng):
    train = random_train(plan(995, 4, ranks=2, row_factors=(10, 10, 10)), rng)
    with pytest.raises(TensorTrainError, match="index 997 is outside of a table of 995 rows"):
        train.embedding_bag([[997]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"indices": [[1.5]]}, "indices are integers, not float64"),
        ({"indices": [1, 2]}, "1-D indices need offsets"),
        ({"indices": [[1, 2]], "offsets": [0]}, "offsets need 1-D indices"),
        ({"indices": [1, 2], "offsets": [1]}, "offsets do not ascend from 0"),
        ({"indices": [1, 2], "offsets": [0, 3]}, "offsets do not ascend from 0 to the 2 indices"),
        ({"indices": [[1, 2]], "mode": "min"}, "mode is 'min'"),
        ({"indices": [[1, 2]], "mode": "max", "per_sample_weights": [[1, 2]]}, "per_sample_weights need mode 'sum'"),
        ({"indices": [[1, 2]], "per_sample_weights": [1, 2]}, r"per_sample_weights \[2\] differ from indices"),
        ({"indices": [[1, 2], [3]]}, "indices of list is not an array"),
        ({"indices": [1, 2], "offsets": ["a"]}, "offsets are integers, not <U1"),
        ({"indices": [[1, 2]], "per_sample_weights": [["a", "b"]]}, "per_sample_weights are <U1, not real numbers"),
        ({"indices": [[1, 2]], "padding_idx": "a"}, "padding_idx 'a' is outside of a table of 990 rows"),
        ({"indices": [[1, 2]], "padding_idx": 990}, "padding_idx 990 is outside of a table of 990 rows"),
    ],
)
def test_bags_that_are_refused(train, arguments, message):
    with pytest.raises(TensorTrainError, match=message):
        train.embedding_bag(**arguments)


def test_no_bags_of_one_offset_that_is_the_last(train):
    assert train.embedding_bag([], [0], include_last_offset=True).shape == (0, 12)


@pytest.mark.parametrize("rows", [[0, 1], 3, "abc", slice("a"), slice(0, 9, 0)])
def test_ranges_of_rows_that_are_refused(train, rows):
    with pytest.raises(TensorTrainError, match="not a slice of rows"):
        train.to_dense(rows)


def test_cores_that_do_not_fit_the_plan(train):
    with pytest.raises(TensorTrainError, match="cores do not have the shapes of the plan"):
        TensorTrain(train.plan, train.cores[::-1])
    with pytest.raises(TensorTrainError, match="cores are int64, int64, int64"):
        TensorTrain(train.plan, tuple(core.astype(int) for core in train.cores))
    with pytest.raises(TensorTrainError, match="do not fit factors"):
        TensorTrain.of_cores(990, train.plan.row_factors, train.plan.col_factors[::-1], train.cores)


@pytest.mark.parametrize("wanted", [0.0, 0.01, 0.5])
def test_rounding(train, wanted):
    rounded = train.round(wanted)
    assert rel_error(train.to_dense(), rounded.to_dense()) <= wanted + 1e-12
    smaller = sum(rounded.plan.ranks) < sum(train.plan.ranks)
    assert smaller == (wanted == 0.5)


def test_ranks_that_no_table_needs_vanish(rng):
    shapes = [(2, 1, 10), (3, 10, 40), (4, 20, 2)]
    cores = [rng.standard_normal(shape) for shape in shapes]
    made = TensorTrain.of_cores(24, (2, 3, 4), (1, 2, 2), cores)
    assert made.plan.ranks == (1, 2, 8, 1)
    table = np.einsum(
        "aibr,crds,fsgt->acfbdg",
        *(cores[k].reshape(s) for k, s in enumerate([(2, 1, 1, 10), (3, 10, 2, 20), (4, 20, 2, 1)])),
    )
    np.testing.assert_allclose(made.to_dense(), table.reshape(24, 4))


def test_save_and_load(rng, tmp_path):
    train = decompose(rng.standard_normal((50, 6)).astype(np.float32), plan(50, 6, ranks=2))
    train.save(tmp_path / "table.safetensors")
    loaded = TensorTrain.load(tmp_path / "table.safetensors")
    assert (loaded.plan, loaded.certificate) == (train.plan, train.certificate)
    assert all(np.array_equal(a, b) for a, b in zip(loaded.cores, train.cores, strict=True))


def test_files_that_are_no_tables(train, tmp_path):
    (tmp_path / "text").write_text("no table")
    for name in ("text", "missing"):
        with pytest.raises(TensorTrainError, match="this file holds no Tensor-Train table"):
            TensorTrain.load(tmp_path / name)
    with pytest.raises(OutputError):
        train.save(tmp_path / "no" / "folder")


FACTS = {"rows": 50, "cols": 6, "row_factors": [10, 5], "col_factors": [3, 2], "ranks": [1, 2, 1], "rel_error": None}
FOREIGN = {
    "no JSON": "{",
    "nested": "[" * 100_000,
    "a list": "[]",
    "a plan that is a list": {"plan": [], "certificate": None},
    "2**62 rows": {"plan": FACTS | {"rows": 2**62, "row_factors": [2**31, 2**31]}, "certificate": None},
    "text for numbers": {"plan": FACTS | {"row_factors": "10"}, "certificate": None},
    "an unknown fact": {"plan": FACTS | {"spam": 1}, "certificate": None},
    "a certificate of text": {"plan": FACTS, "certificate": {"rel_error": "a", "worst_row": 0, "worst_row_error": 0}},
    "half a certificate": {"plan": FACTS, "certificate": {"rel_error": 0.5}},
    "no certificate": {"plan": FACTS},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_strangers(train, tmp_path, name):
    facts = FOREIGN[name]
    text = facts if isinstance(facts, str) else json.dumps(facts)
    cores = {f"core.{k}": core for k, core in enumerate(train.cores)}
    save_file(cores, tmp_path / "table.safetensors", {"ttstack.tensor_train": text})
    with pytest.raises(TensorTrainError):
        TensorTrain.load(tmp_path / "table.safetensors")
