"""The time of tests is added up by folder, and what is above a budget is reported, not failed."""

import pytest

from tests.processor_time import ProcessorTime, folder, seconds


def finished(test: str, spent: float) -> pytest.TestReport:
    report = pytest.TestReport(test, (test, 0, test), {}, "passed", None, "teardown")
    report.user_properties.append(("processor_seconds", spent))
    return report


@pytest.fixture
def times() -> ProcessorTime:
    found = ProcessorTime(store=False)
    for test, spent in (
        ("tests/ops/test_a.py::test[x]", 2.0),
        ("tests/ops/b/test_a.py::test", 5.0),
        ("tests/test_a.py::test", 1.5),
    ):
        found.pytest_runtest_logreport(finished(test, spent))
    return found


def test_folders_are_added_up(times: ProcessorTime) -> None:
    found = times.measured()
    assert found["folders"] == {"ops": [2, 7.0], ".": [1, 1.5]}
    assert found["slowest"][0] == ["tests/ops/b/test_a.py::test", 5.0]


def test_folder_above_its_budget_is_reported(times: ProcessorTime) -> None:
    ops, top, total = times.lines({"ops": [2, 3.0], ".": [1, 0.8]})
    assert ops.split()[:5] == ["ops", "2", "tests", "7.0", "s"]
    assert "ABOVE ITS BUDGET" in ops
    assert "ABOVE" not in top
    assert total.split() == ["all", "3", "tests", "8.5", "s"]
    assert "no budget yet" in times.lines({})[0]


def test_test_is_timed_where_it_runs(times: ProcessorTime) -> None:
    times.pytest_runtest_logstart()
    began = seconds()
    while seconds() - began < 0.05:
        pass
    report = pytest.TestReport("a", ("a", 0, "a"), {}, "passed", None, "teardown")
    wrapped = times.pytest_runtest_makereport()
    next(wrapped)
    with pytest.raises(StopIteration):
        wrapped.send(report)
    times.pytest_runtest_logreport(report)
    assert times.tests["a"] >= 0.05


def test_folder_of_a_test() -> None:
    assert folder("tests/test_sizes.py::test") == "."
    assert folder("tests/a/b/test_c.py::test[x/y]") == "a"
