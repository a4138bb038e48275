"""What the benchmark of quality shows, on a small click log."""

import pytest

pytest.importorskip("torch")

from benchmarks.tensor_train.click_log import results


def test_what_becomes_of_a_trained_table():
    found = {result.name: result for result in results(rows=2000, steps=60, fine_tuned=20, ranks=(8,))}
    dense, int8, trained, cut, tuned = found.values()
    assert dense.auc > 0.75
    assert abs(int8.auc - dense.auc) < 0.002
    assert dense.nbytes == 3.2 * int8.nbytes
    assert trained.nbytes == cut.nbytes == tuned.nbytes
    assert dense.nbytes > 10 * trained.nbytes
    assert cut.auc < trained.auc - 0.05
    assert tuned.auc > cut.auc + 0.05


def test_what_categories_share_is_kept_in_fewer_bytes():
    found = results(rows=2000, steps=60, fine_tuned=20, ranks=(8,), shared=0.9)
    dense, _, trained, cut, tuned = found
    assert dense.nbytes > 10 * trained.nbytes
    assert trained.auc > dense.auc - 0.005
    assert cut.auc > dense.auc - 0.03
    assert tuned.auc > dense.auc - 0.005
