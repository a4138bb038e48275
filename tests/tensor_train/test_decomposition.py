"""Decompositions: the error asked for, the bytes asked for, and inputs that are hard."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tensor_train.certificates import certificate
from tests.tensor_train.tables import planted, random_train, rel_error
from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train import analyze, decompose, plan


def _drawn(seed):
    """A table of any shape, spectrum and float type."""
    rng = np.random.default_rng(seed)
    rows, cols = int(rng.integers(1, 600)), int(rng.integers(1, 40))
    noise = rng.standard_normal((rows, cols))
    table = [
        noise,
        noise * 0.5 ** np.arange(cols),
        np.outer(noise[:, 0], noise[0]) + 1e-3 * noise,
        noise[np.arange(rows) // 8],
    ][seed % 4]
    return (table * 10.0 ** rng.integers(-3, 3)).astype([np.float16, np.float32, np.float64][seed % 3]), rng


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_errors_and_bytes_are_kept(first):
    for seed in range(first, first + 50):
        table, rng = _drawn(seed)
        order, wanted = int(rng.integers(1, 5)), float(10 ** rng.uniform(-4, -0.3))
        kept = decompose(table, plan(*table.shape, rel_error=wanted, order=order))
        measured = rel_error(table, kept.to_dense())
        assert measured <= wanted
        assert certificate(kept).rel_error == pytest.approx(measured, rel=1e-4, abs=3e-7)
        least = plan(*table.shape, ranks=1, order=order).nbytes(4)
        budget = int(rng.integers(least, least + 4 * table.size))
        spectra = analyze(table, order=order)
        for analysis in (None, spectra):
            assert (
                decompose(table, plan(*table.shape, max_bytes=budget, order=order, analysis=analysis)).nbytes <= budget
            )
        planned = decompose(table, plan(*table.shape, rel_error=wanted, analysis=spectra))
        assert rel_error(table, planned.to_dense()) <= wanted


def test_least_ranks_of_a_planted_table(rng):
    table = planted(3375, 24, (5, 7), rng)
    assert decompose(table, plan(3375, 24, rel_error=1e-4)).plan.ranks == (1, 5, 7, 1)
    assert plan(3375, 24, rel_error=1e-4, analysis=analyze(table)).ranks == (1, 5, 7, 1)


def test_fixed_ranks_are_within_the_bounds_of_the_spectra(rng):
    table = rng.standard_normal((1000, 32)).astype(np.float32)
    made = decompose(table, plan(1000, 32, ranks=9))
    low, high = analyze(table).bounds(made.plan)
    assert low <= certificate(made).rel_error <= high


def test_a_wide_unfolding_is_sketched(rng):
    made = plan(8100, 800, rel_error=0.02, row_factors=(90, 90), col_factors=(20, 40))
    noise = rng.standard_normal((8100, 800), dtype=np.float32)
    table = random_train(replace(made, ranks=(1, 3, 1)), rng).to_dense() + 1e-3 * noise
    found = decompose(table, made)
    assert certificate(found).rel_error <= 0.02
    assert found.plan.ranks == (1, 3, 1)


def test_worst_row(rng):
    table = rng.standard_normal((995, 8)).astype(np.float32)
    made = decompose(table, plan(995, 8, ranks=2))
    errors = np.linalg.norm(table - made.to_dense(), axis=1)
    assert certificate(made).worst_row == errors.argmax()
    mean = np.linalg.norm(table) / np.sqrt(995)
    assert certificate(made).worst_row_error == pytest.approx(errors.max() / mean, rel=1e-4)


def test_results_do_not_differ_between_runs(rng):
    table = rng.standard_normal((700, 12)).astype(np.float32)
    once, again = (decompose(table, plan(700, 12, ranks=6)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(once.cores, again.cores, strict=True))


def test_a_mapped_table_is_read_in_blocks(rng, tmp_path):
    table = planted(27000, 64, 4, rng)
    mapped = np.memmap(tmp_path / "table", np.float32, "w+", shape=table.shape)
    mapped[:] = table
    mapped.flush()
    seen = []
    made = decompose(
        np.memmap(tmp_path / "table", np.float32, "r", shape=table.shape),
        plan(27000, 64, ranks=4),
        progress=lambda task, share: seen.append((task, share)),
    )
    assert rel_error(table, made.to_dense()) < 1e-5
    assert {task for task, _ in seen} == {"reading", "analysing", "projecting", "certifying"}
    assert all(0 < share <= 1 for _, share in seen)


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (8, 1), (7, 3), (64, 509)])
@pytest.mark.parametrize("value", [0.0, 1.0, 1e30, 1e-30])
def test_constant_tables_are_exact(shape, value):
    table = np.full(shape, value, np.float32)
    made = decompose(table, plan(*shape, rel_error=1e-6))
    assert certificate(made).rel_error < 1e-6
    assert made.plan.ranks == (1, 1, 1, 1)
    np.testing.assert_allclose(made.to_dense(), table, rtol=1e-6)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((4, 4), np.int8), "a table of int8 has no Tensor-Train form"),
        (np.zeros(4), "a table must be a matrix"),
        (np.zeros((0, 4)), "a table must be a matrix"),
        (np.array([[0.0, 1.0], [0.0, np.nan]]), "the table holds nan at row 1, column 1"),
        (np.array([[0.0, -np.inf], [np.inf, np.nan]]), "the table holds -inf at row 0, column 1"),
        (np.zeros((4, 4)), "the plan is for 2 x 2, the table has 4 x 4"),
        (np.full((2, 2), 1e200), "too large for cores of float32"),
    ],
)
def test_tables_that_are_refused(table, message):
    with pytest.raises(TensorTrainError, match=message):
        decompose(table, plan(2, 2, ranks=1))


def test_an_error_below_what_the_element_type_can_hold(rng):
    table = rng.standard_normal((60, 8))
    made = plan(60, 8, rel_error=1e-10)
    with pytest.raises(TensorTrainError, match="no decomposition keeps rel_error 1e-10"):
        decompose(table, made)
    assert certificate(decompose(table, made, dtype=np.float64)).rel_error <= 1e-10


def test_directions_far_below_the_largest_are_the_best_ones(rng):
    exact = random_train(plan(27000, 64, ranks=3, row_factors=(30, 30, 30)), rng).to_dense()
    table = (exact + 1e-3 * exact.std() * rng.standard_normal(exact.shape)).astype(np.float32)
    single, double = (decompose(values, plan(27000, 64, ranks=24)) for values in (table, table.astype(np.float64)))
    assert rel_error(table, single.to_dense()) == pytest.approx(rel_error(table, double.to_dense()), rel=1e-5)
