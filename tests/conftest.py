"""Settings of all tests: examples are the same in every run, no test depends on how fast the machine is, none is
skipped unseen, and each process computes in one thread.

Models are read in the process of the tests: to fork one that holds thousands of tests takes longer than to compile a
small model. Tests of what files from strangers may do, and of commands, use `as_users_read`.
"""

import gc
import os
from typing import cast

import pytest
from hypothesis import HealthCheck, settings

from tests import every
from tests.processor_time import STORED, ProcessorTime

for _library in (
    "OMP",
    "OPENBLAS",
):  # before NumPy and PyTorch are loaded: threads of two processes wait for each other
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

os.environ.setdefault("TTSTACK_ISOLATE", "0")

settings.register_profile(
    "ttstack",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thousand", settings.get_profile("ttstack"), max_examples=1000)
settings.load_profile("ttstack")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="store the results that tests/golden compares with")
    parser.addoption(
        "--store-test-times", action="store_true", help=f"store the processor time of tests in {STORED.name}"
    )
    parser.addoption("--apart", action="store_true", help="make each case of a test of many a test of its own")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ProcessorTime(store=bool(config.getoption("--store-test-times"))))
    every.APART, every.FIRST = config.getoption("--apart"), config.getoption("maxfail") == 1


@pytest.fixture
def as_users_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are read in a child of the process."""
    monkeypatch.delenv("TTSTACK_ISOLATE", raising=False)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: there is no need to look through it for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)  # a compilation makes many objects and few cycles


def _not_run(config: pytest.Config) -> list[pytest.TestReport]:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    return [] if terminal is None else terminal.stats.get("skipped", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where everything is installed, as in CI, a skipped test is a failure; the real library cannot be had everywhere."""
    missed = [report for report in _not_run(session.config) if "library" not in report.keywords]
    if os.environ.get("CI") == "true" and missed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for report in _not_run(config):
        terminalreporter.write_line(
            f"NOT TESTED: {report.nodeid}: {cast(tuple[str, int, str], report.longrepr)[-1]}", red=True, bold=True
        )
