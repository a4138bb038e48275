"""Take the pictures of pages anew, with Debian's Chromium: `python docs/make_pictures.py`."""

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "runtime")]

import ttstack  # noqa: E402  (found only on the paths above)
from tests.browser.chromium import open_window  # noqa: E402
from tests.browser.model_explorer import Walk, serve  # noqa: E402
from ttstack.explore.session import open_session  # noqa: E402
from ttstack.report.compare import compare  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MODEL = "examples.zoo.bert:small"


def picture(page: Path, name: str, width: int, height: int, script: str) -> None:
    """A picture of a page after a script has run in it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        window = open_window(Path(profile), width, height)
        if window is None:
            raise SystemExit("no chromium: apt-get install chromium chromium-driver")
        window.get(page.as_uri())
        window.execute_script(script)
        time.sleep(0.5)
        window.save_screenshot(str(IMAGES / name))
        window.quit()


os.chdir(ROOT)  # pages show the path that the model was given by
before, after = (ttstack.compile(MODEL, dtype=dtype).cost() for dtype in (None, "bfp8_b"))
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "page.html"
    before.to_html(page)
    picture(page, "page.png", 1400, 1130, "select(28)")
    compare(before, after).to_html(page)
    picture(page, "comparison.png", 1400, 1130, "nextTheme(); select(15)")
with (
    tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
    open_session("examples.zoo.bert:small", "bert_small", None, {"placement_caution": 0.0}) as session,
    serve(session) as server,
):
    window = open_window(Path(profile), 1500, 1000)
    if window is None:
        raise SystemExit("no chromium: apt-get install chromium chromium-driver")
    walk = Walk(window, server.address)
    held = next(
        op for op in session.versions[0].reports["forward"].ops if op.name == "linear" and op.results[0].layout.in_l1
    )
    walk.edit(str(held.index), "memory", "dram")
    walk.wait(lambda: "change [µs] by edit 1" in walk.text)
    walk.select(f"op {held.index}")
    time.sleep(3)
    window.save_screenshot(str(IMAGES / "explore.png"))
    window.quit()
