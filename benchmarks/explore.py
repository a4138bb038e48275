"""The loop in the real Model Explorer, step by step in headless Chromium: `python -m benchmarks.explore`.

BERT-base is compiled and opened, which colours it by time; then a product whose result lies in L1 is selected and
moved to DRAM, and another two. A step begins when Chromium is at rest and ends when the page says what it is for; the
last one when the picture is drawn that says it, by the page's own clock. The last columns are the processor's: of this
process, which compiles and answers, and of Chromium, which draws in software here. Needs `make tools`.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.children import processor_seconds
from tests.browser.chromium import open_window
from tests.browser.model_explorer import Walk, serve
from ttstack.explore.session import open_session

MODEL = "benchmarks.placement:bert_base"
CHOICES = {"placement_caution": 0.0, "dtype": "bf16"}
"""Without caution, most results lie in L1, from where they can be moved."""
WIDTH, HEIGHT = 640, 480
EDITS = 3
_PAUSE, _IDLE = 0.5, 0.1
"""Seconds between looks, and the share of a processor below which Chromium is at rest."""


def main() -> None:
    """Print a row for each step."""
    print("| step | seconds | ttstack, s of processor | Chromium, s of processor |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        window = open_window(Path(profile), WIDTH, HEIGHT)
        if window is None:
            raise SystemExit("no chromium: apt-get install chromium chromium-driver")
        driver = window.service.process.pid
        with ExitStack() as opened:
            with _step("read and compile", driver):
                session = opened.enter_context(open_session(MODEL, "bert_base", None, CHOICES))
            server = opened.enter_context(serve(session))
            with _step("open the page, coloured by time", driver):
                walk = Walk(window, server.address)
            ops = session.versions[0].reports["forward"].ops
            held = [op for op in ops if op.name == "linear" and op.results[0].layout.in_l1]
            for number, op in enumerate(held[:EDITS], start=1):
                with _step(f"select the product {op.index}", driver):
                    walk.select(f"op {op.index}")
                    walk.wait(lambda location=op.location: location in walk.text)
                with _step("fill in the form", driver):
                    walk.fill_in(str(op.index), "memory", "dram")
                with _step("run it, until the difference is drawn", driver) as clock:
                    clock.seconds = walk.run_until_drawn(f"change [µs] by edit {number}")
        window.quit()


@dataclass
class _Clock:
    """What a step took, where the page says it: it answers when all else is drawn too."""

    seconds: float | None = None


@contextmanager
def _step(name: str, driver: int) -> Iterator[_Clock]:
    _rest(driver)
    before, clock = (time.perf_counter(), time.process_time(), processor_seconds(driver)), _Clock()
    yield clock
    after = time.perf_counter(), time.process_time(), processor_seconds(driver)
    seconds, *processor = (now - then for then, now in zip(before, after, strict=True))
    cells = (f"{took:.2f}" for took in (clock.seconds or seconds, *processor))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _rest(driver: int) -> None:
    """Wait until Chromium draws nothing that earlier steps asked for."""
    before = processor_seconds(driver)
    while True:
        time.sleep(_PAUSE)
        now = processor_seconds(driver)
        if now - before < _IDLE * _PAUSE:
            return
        before = now


if __name__ == "__main__":
    main()
