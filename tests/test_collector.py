"""The garbage collector runs seldom during compilations, and as before after them."""

import gc
import threading
from collections.abc import Iterator

import pytest

import ttstack
from ttstack.diagnostics import TTStackError
from ttstack.support.collector import OBJECTS, rare_collections


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_a_compilation_that_fails_leaves_the_collector_as_it_was() -> None:
    gc.set_threshold(701, 11, 12)
    seen: list[tuple[int, int, int]] = []
    text = "func.func @f(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {\n return %a : tensor<32x32xf32>\n}"
    ttstack.compile(text, progress=lambda *_: seen.append(gc.get_threshold()))
    assert set(seen) == {(OBJECTS, 11, 12)}
    with pytest.raises(TTStackError):
        ttstack.compile("func.func @f(")
    assert gc.get_threshold() == (701, 11, 12)


@pytest.mark.parametrize("newest", [0, OBJECTS + 1])
def test_a_collector_that_is_off_or_runs_more_seldom_stays_so(newest: int) -> None:
    gc.set_threshold(newest, 11, 12)
    with rare_collections():
        assert gc.get_threshold() == (newest, 11, 12)
    assert gc.get_threshold() == (newest, 11, 12)


def test_what_somebody_sets_meanwhile_stays() -> None:
    with rare_collections():
        gc.set_threshold(500)
    assert gc.get_threshold()[0] == 500


def test_the_last_of_several_threads_restores_what_the_first_found() -> None:
    gc.set_threshold(701, 11, 12)
    entered, leave = threading.Event(), threading.Event()

    def work() -> None:
        with rare_collections():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=work)
    with rare_collections():
        thread.start()
        assert entered.wait(60)
    assert gc.get_threshold() == (OBJECTS, 11, 12)
    leave.set()
    thread.join()
    assert gc.get_threshold() == (701, 11, 12)
