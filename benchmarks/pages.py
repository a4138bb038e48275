"""The HTML page of large programs, its size and the time until it is drawn: `python -m benchmarks.pages`.

Each is opened in a window of headless Chromium of its own. The time is the page's own, from the request to the frame
after everything is drawn; the last column is what Chromium takes of the processor, which draws in software here.
"""

import sys
import tempfile
from pathlib import Path

import ttstack
from benchmarks.children import processor_seconds
from benchmarks.scaling import chain
from tests.browser.chromium import open_window

MODELS = {
    "BERT-large, 384 tokens": "examples.zoo.bert:full",
    "Llama-3.1-8B, 32 layers, prefill of 1,024": "examples.zoo.llama:full",
    "a chain of 10,000 products": chain("matmul", 10_000),
}
FORMAT = "bfp8_b"
_DRAWN = """
const done = arguments[0];
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
"""


def seconds_to_draw(page: Path, profile: Path) -> tuple[float, float]:
    """By the page's clock, and of the processor."""
    window = open_window(profile)
    if window is None:
        raise SystemExit("no chromium: apt-get install chromium chromium-driver")
    try:
        driver = window.service.process.pid
        before = processor_seconds(driver)
        window.get(page.as_uri())
        drawn = window.execute_async_script(_DRAWN) / 1000
        return drawn, processor_seconds(driver) - before
    finally:
        window.quit()


def main(names: list[str]) -> None:
    """Print a row for each program, or for those that are named."""
    print("| program | ops | page, MB | drawn after, s | Chromium, s of processor |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for number, model in enumerate(names or MODELS):
            page = Path(name) / f"{number}.html"
            program = ttstack.compile(MODELS[model], dtype=FORMAT)
            program.to_html(page)
            drawn, processor = seconds_to_draw(page, Path(name) / f"profile{number}")
            cells = (
                f"{len(program.cost().ops):,}",
                f"{page.stat().st_size / 1e6:.1f}",
                f"{drawn:.2f}",
                f"{processor:.2f}",
            )
            print(f"| {model} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
