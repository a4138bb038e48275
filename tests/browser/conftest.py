"""The window that all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from tests.browser.chromium import open_window


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """Chromium; what it asks of files and networks is in its log."""
    window = open_window(tmp_path_factory.mktemp("browser"))
    if window is None:
        pytest.skip("no chromium: apt-get install chromium chromium-driver")
    yield window
    window.quit()


@pytest.fixture
def opened(browser: WebDriver, tmp_path: Path) -> Path:
    """Where a page is written that the browser opens; its logs begin anew."""
    for log in ("browser", "performance"):
        browser.get_log(log)
    return tmp_path / "page.html"
