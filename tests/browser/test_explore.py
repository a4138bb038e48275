"""The loop in the real Model Explorer: colour by time, select an op, move it to DRAM, compile, see the difference."""

from collections.abc import Iterator

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from tests.browser.model_explorer import Walk, serve
from ttstack.explore.session import Session, open_session

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """Without caution, some results of the small model lie in L1."""
    with open_session("examples.zoo.bert:small", "bert_small", None, {"placement_caution": 0.0}) as opened:
        yield opened


@pytest.fixture(scope="module")
def walk(browser: WebDriver, session: Session) -> Iterator[Walk]:
    """In a small window: Chromium has no graphics card here, and draws every pixel of the graph by itself."""
    size = browser.get_window_size()
    browser.set_window_size(640, 480)
    with serve(session) as server:
        yield Walk(browser, server.address)
    browser.set_window_size(size["width"], size["height"])


def test_an_edit_is_seen_beside_what_was(walk: Walk, session: Session) -> None:
    report, (graph,) = session.versions[0].reports["forward"], session.versions[0].graphs
    assert f"{report.total_ns / 1000:.1f} µs" in walk.text
    assert f"ttnn {len(graph.nodes)} nodes" in " ".join(walk.text.split())
    assert "time [µs]" in walk.text
    held = next(op for op in report.ops if op.name == "linear" and op.results[0].layout.in_l1)
    walk.select(f"op {held.index}")
    assert held.location in walk.text
    walk.edit(str(held.index), "memory", "dram")
    walk.wait(lambda: f"change [µs] by edit 1: op {held.index} memory=dram" in walk.text)
    after = session.versions[1].reports["forward"]
    assert (
        not next(op for op in after.ops if (op.name, op.location) == (held.name, held.location)).results[0].layout.in_l1
    )
    assert f"→ {after.total_ns / 1000:.1f} µs" in walk.text


def test_what_cannot_be_is_said_on_the_page(walk: Walk, session: Session) -> None:
    versions = len(session.versions)
    walk.edit("0", "grid", "90x90")
    walk.wait(lambda: "grid 90x90 is larger than the device's 8x8" in walk.text)
    assert len(session.versions) == versions
