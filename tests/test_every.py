"""A test of many cases says of all what fails, runs each, and leaves fixtures to pytest."""

from inspect import signature

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import every
from tests.every import for_every


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without options of the command line."""
    monkeypatch.setattr(every, "APART", False)
    monkeypatch.setattr(every, "FIRST", False)


def failing(*cases: int) -> ExceptionGroup[Exception]:
    @for_every("case", cases)
    def below_three(case: int) -> None:
        if case == 5:
            pytest.skip("not here")
        with pytest.raises(ZeroDivisionError):
            _ = 1 // (case // 3)

    with pytest.raises(ExceptionGroup) as caught:
        below_three()
    return caught.value


def test_all_faults_are_reported_together() -> None:
    group = failing(1, 3, 2, 4)
    assert group.message == "2 of 4 cases fail: 3, 4"
    assert [fault.__notes__ for fault in group.exceptions] == [["in the case 3"], ["in the case 4"]]
    assert all("DID NOT RAISE" in str(fault) for fault in group.exceptions)


def test_skipped_case_is_a_fault() -> None:
    assert failing(5, 1, 2).message == "1 of 3 cases fail: 5"


def test_many_faults_are_all_named() -> None:
    group = failing(*range(10, 20))
    assert group.message.endswith(", ".join(map(str, range(10, 20))))
    assert len(group.exceptions) == 5


def test_there_must_be_cases() -> None:
    with pytest.raises(AssertionError, match="not one case"):
        for_every("case", [])(lambda case: None)()


def test_every_case_runs_once_with_shared_fixtures(tmp_path: object) -> None:
    ran: list[tuple[object, ...]] = []

    @for_every("a, b", [(1, 2), (3, 4)])
    def note(a: int, b: int, tmp_path: object) -> None:
        ran.append((a, b, tmp_path))

    assert [*signature(note).parameters] == ["tmp_path"]
    note(tmp_path=tmp_path)
    assert ran == [(1, 2, tmp_path), (3, 4, tmp_path)]


def test_first_fault_ends_the_test_where_it_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every, "FIRST", True)
    assert failing(1, 3, 4).message == "1 of 3 cases fail: 3"


def test_cases_can_be_tests_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every, "APART", True)
    mark = for_every("a, b", [(1, 2), (3, 4)])
    assert isinstance(mark, pytest.MarkDecorator)
    assert mark.args == (["a", "b"], [(1, 2), (3, 4)])
    assert mark.kwargs == {"ids": ["1-2", "3-4"]}


def drawn(*, apart: bool) -> set[int]:
    found: set[int] = set()

    @settings(max_examples=5)
    @given(number=st.integers(0, 2**30))
    def test_draws(case: str, number: int) -> None:
        found.add(number)

    test_draws.hypothesis.inner_test._hypothesis_internal_add_digest = (  # type: ignore[attr-defined]
        b"tests/test_every.py::test_draws[b]" if apart else b""
    )
    if apart:
        test_draws(case="b")
    else:
        for_every("case", ["b"])(test_draws)()
    return found


def test_cases_draw_the_same_together_and_apart() -> None:
    together = drawn(apart=False)
    assert together == drawn(apart=True)
    assert len(together) > 2


@for_every("first", [1, 2])
@pytest.mark.parametrize("second", [3, 4])
def test_other_parameters_stay_pytests(first: int, second: int) -> None:
    assert (first < 3) & (second in (3, 4))
