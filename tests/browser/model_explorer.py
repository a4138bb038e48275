"""The walk through Model Explorer's own pages: what a person clicks and reads there."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from ttstack.explore.server import ExploreServer
from ttstack.explore.session import Session

PAGES = Path(__file__).parents[2] / ".venv-tools/model_explorer"
SECONDS = 120
_TOOK_FOCUS = "return document.activeElement.matches('mat-dialog-container input')"
"""A dialog that has opened gives its first field the focus: what is typed before that may land there."""
_RUN_UNTIL_DRAWN = """
const [words, done] = arguments, start = performance.now();
const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done((performance.now() - start) / 1000)));
const watch = new MutationObserver(() => {
  if (document.body.textContent.includes(words)) { watch.disconnect(); drawn(); }
});
watch.observe(document.body, {childList: true, subtree: true, characterData: true});
[...document.querySelectorAll(".btn-run")].find((e) => e.offsetParent).click();
"""
"""The second frame that is asked for begins when the first one is drawn."""


@contextmanager
def serve(session: Session) -> Iterator[ExploreServer]:
    """A server of the pages that `make tools` installs."""
    assert PAGES.is_dir(), f"{PAGES} is missing: run `make tools`"
    sys.path.append(str(PAGES))
    try:
        with ExploreServer() as server:
            server.open(session)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield server
            server.shutdown()
    finally:
        sys.path.remove(str(PAGES))


class Walk:
    """One window on the page."""

    def __init__(self, window: WebDriver, address: str) -> None:
        self.window = window
        window.get("about:blank")
        window.get(address)
        self.wait(lambda: "Aggregated stats" in self.text)

    @property
    def text(self) -> str:
        """All that can be read."""
        return str(self.window.execute_script("return document.body.innerText"))

    def wait(self, until: Callable[[], object]) -> None:
        """Until something is so."""
        WebDriverWait(self.window, SECONDS, poll_frequency=0.1).until(lambda _: until())

    def select(self, node: str) -> None:
        """Select a node, as pages that hold this one can, and wait for its panel."""
        self.window.execute_script(
            "window.postMessage({cmd: 'model-explorer-select-node-by-node-id', nodeId: arguments[0]}, '*')", node
        )
        self.wait(lambda: "NODE INFO" in self.text)

    def edit(self, op: str, field: str, value: str) -> None:
        """Fill in the form of an edit, and run it."""
        self.fill_in(op, field, value)
        self.run()

    def fill_in(self, op: str, field: str, value: str) -> None:
        """Open the form of an edit, and fill it in."""
        words = "e => e.children.length < 4 && e.innerText?.includes('Add per-node data')"
        self._click(f"[...document.querySelectorAll('*')].filter({words}).reverse()")
        self._click("[...document.querySelectorAll('ndp-extensions-panel .extension-container')]")
        self.wait(lambda: self.window.find_elements(By.CSS_SELECTOR, "[data-editor-id=op] input"))
        self.wait(lambda: self.window.execute_script(_TOOK_FOCUS))
        self.window.find_element(By.CSS_SELECTOR, "[data-editor-id=op] input").send_keys(op)
        Select(self.window.find_element(By.CSS_SELECTOR, "[data-editor-id=field] select")).select_by_value(field)
        self.window.find_element(By.CSS_SELECTOR, "[data-editor-id=value] input").send_keys(value)

    def run(self) -> None:
        """Run what the form says, which it can once it is filled in."""
        self._click("[...document.querySelectorAll('.btn-run')].filter(e => !e.disabled)")

    def run_until_drawn(self, words: str) -> float:
        """Run what the form says; the page's own seconds until a picture with these words is drawn."""
        self.window.set_script_timeout(SECONDS)
        return float(self.window.execute_async_script(_RUN_UNTIL_DRAWN, words))

    def _click(self, found: str) -> None:
        script = f"const e = {found}.find(e => e.offsetParent); if (e) e.click(); return Boolean(e)"
        self.wait(lambda: self.window.execute_script(script))
