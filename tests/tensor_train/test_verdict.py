"""The gate: what has structure passes, what has none is refused, each for its reason."""

import numpy as np
import pytest

from tests.tensor_train.certificates import certificate
from tests.tensor_train.tables import planted
from tests.tensor_train.trained import trained_table
from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train import analyze, decompose, gate, plan
from ttstack.tensor_train.noise import noise_share

ROWS, COLS = 4096, 16


def _judged(table, order):
    """The verdict on the best plan that keeps 5 %."""
    analysis = analyze(table, order=order)
    return gate(table, plan(*table.shape, rel_error=0.05, analysis=analysis), analysis=analysis)


def _crossed(join, rng):
    """Rows for pairs of two features of 64 values each."""
    first, second = rng.standard_normal((2, 64, COLS))
    return join(first[:, None], second[None]).reshape(ROWS, COLS)


def _positions():
    """Sinusoidal positions (Vaswani et al., "Attention is all you need", 2017)."""
    angle = np.arange(ROWS)[:, None] / 10000 ** (np.arange(0, COLS, 2) / COLS)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(ROWS, COLS)


ACCEPTED = {
    "planted": (3, lambda rng: planted(ROWS, COLS, 4, rng)),
    "planted with noise": (
        3,
        lambda rng: (t := planted(ROWS, COLS, 4, rng)) * (1 + 0.01 * rng.standard_normal(t.shape)),
    ),
    "added features": (2, lambda rng: _crossed(np.add, rng)),
    "multiplied features": (2, lambda rng: _crossed(np.multiply, rng)),
    "positions": (3, lambda rng: _positions()),
    "repeated rows": (3, lambda rng: np.repeat(rng.standard_normal((64, COLS)), 64, axis=0)),
    "low rank": (3, lambda rng: rng.standard_normal((ROWS, 1)) @ rng.standard_normal((1, COLS))),
    "zeros": (3, lambda rng: np.zeros((ROWS, COLS))),
}

REFUSED = {
    "independent": lambda rng: rng.standard_normal((ROWS, COLS)),
    "as DLRM starts": lambda rng: rng.uniform(-1, 1, (ROWS, COLS)) / ROWS**0.5,
    "planted, rows shuffled": lambda rng: rng.permutation(planted(ROWS, COLS, 4, rng)),
    "trained on clicks": lambda rng: trained_table(ROWS, COLS),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_structure_is_accepted(name, rng):
    order, table_of = ACCEPTED[name]
    table = table_of(rng)
    verdict = _judged(table, order)
    assert verdict.accepted, verdict.reasons
    assert verdict.nbytes <= verdict.int8_bytes / 2
    made = decompose(table, verdict.plan)
    assert certificate(made).rel_error <= 0.05
    assert made.nbytes <= verdict.nbytes


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("name", REFUSED)
def test_noise_is_refused(name, order, rng):
    table = REFUSED[name](rng)
    verdict = _judged(table, order)
    assert not verdict.accepted
    assert "more than half of the 81,920 of int8 rows" in verdict.reasons[0]
    fixed = gate(table, plan(ROWS, COLS, ranks=8, order=order))
    assert "more than 0.05" in fixed.reasons[0]
    assert "of what they would lose of noise" in fixed.reasons[-1]
    assert min(fixed.signal) < 0.3


def test_a_plan_by_error_gets_the_ranks_it_needs(rng):
    verdict = gate(planted(ROWS, COLS, 4, rng), plan(ROWS, COLS, rel_error=0.01))
    assert verdict.accepted
    assert verdict.plan.ranks == (1, 4, 4, 1)


def test_low_rank_is_the_better_choice_for_low_rank(rng):
    table = rng.standard_normal((ROWS, 1)) @ rng.standard_normal((1, COLS))
    verdict = gate(table, plan(ROWS, COLS, rel_error=0.01))
    assert not verdict.accepted
    assert "of a product of two matrices (rank 1)" in verdict.reasons[0]


def test_a_slow_lookup_is_refused(rng):
    table, made = planted(ROWS, COLS, 4, rng), plan(ROWS, COLS, ranks=4)
    assert gate(table, made, lookup_ns=50, max_lookup_ns=60).accepted
    assert gate(table, made, lookup_ns=70, max_lookup_ns=60).reasons == ("a lookup takes 70 ns, more than 60 ns",)


def test_an_analysis_of_other_factors(rng):
    table = rng.standard_normal((100, 8))
    with pytest.raises(TensorTrainError, match="the analysis is of factors"):
        gate(table, plan(100, 8, ranks=2), analysis=analyze(table, order=2))


@pytest.mark.parametrize(("left", "right", "rank"), [(60, 60, 10), (50, 400, 10), (400, 50, 30)])
def test_spectrum_of_noise(left, right, rank, rng):
    energies = np.linalg.svd(rng.uniform(-1, 1, (left, right)), compute_uv=False) ** 2
    assert noise_share(rank, left, right) == pytest.approx(energies[:rank].sum() / energies.sum(), abs=0.02)
