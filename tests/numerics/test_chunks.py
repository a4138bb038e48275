"""Work in chunks and on threads gives what it gives at once."""

import threading

import numpy as np
import pytest

from ttstack_runtime import chunks
from ttstack_runtime.numerics import quantize, truncate_for_fidelity

X = np.random.default_rng(3).standard_normal((9, 70)).astype(np.float32)


@pytest.fixture(params=["1", "3"])
def threads(request, monkeypatch):
    monkeypatch.setattr(chunks, "_CHUNK", 48)
    monkeypatch.setattr(chunks, "_SHARE", 64)
    monkeypatch.setenv("OMP_NUM_THREADS", request.param)
    return int(request.param)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("name", ["bf16", "f16", "bfp8_b", "bfp4_b"])
def test_formats(name):
    by_rows = np.concatenate([quantize(row[None], name) for row in X])
    np.testing.assert_array_equal(quantize(X, name), by_rows)


@pytest.mark.usefixtures("threads")
def test_fidelity():
    np.testing.assert_array_equal(
        truncate_for_fidelity(X, "lofi", operand=1),
        [[truncate_for_fidelity(x, "lofi", operand=1) for x in row] for row in X],
    )


def test_as_many_threads_as_are_asked_for(threads):
    before, first = threading.active_count(), threading.local()
    barrier = threading.Barrier(threads, timeout=10)

    def doubled(part):
        if not hasattr(first, "begun"):
            first.begun = True
            barrier.wait()
        return part * 2

    np.testing.assert_array_equal(chunks.in_chunks(doubled, X), X * 2)
    assert threading.active_count() == before


def test_overflows_are_handled_as_the_caller_says(threads):
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        chunks.in_chunks(lambda part: part * np.float32(3e38) * np.float32(3e38), X)
    with np.errstate(over="ignore"):
        assert np.isinf(chunks.in_chunks(lambda part: part * np.float32(3e38) * np.float32(3e38), X)).any()


@pytest.mark.parametrize("asked", ["", "0", "many"])
def test_without_a_number_there_are_as_many_as_processors(asked, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    monkeypatch.setattr(chunks.os, "sched_getaffinity", lambda _: {0, 1, 5})
    assert chunks.thread_count() == 3
