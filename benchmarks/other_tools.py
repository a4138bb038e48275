"""Files of large models in the tools that people open them with: `python -m benchmarks.other_tools`.

tt-perf-report reads the CSV, ttnn-visualizer the folder, Perfetto's trace processor the trace, in Chromium. Checks are
those of the tests, on full-size models: every op is there and named, no shape is unknown, both halves of the folder are
linked op by op, and times and bytes add up to ours. A check that fails ends the command. Needs `make tools`.
"""

import argparse
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import ttstack
from tests.browser.chromium import open_window
from tests.browser.test_perfetto import check as check_trace
from tests.browser.test_perfetto import serve_perfetto
from tests.report.test_tt_perf_report import check as check_csv
from tests.report.test_ttnn_visualizer import check as check_folder
from tests.report.test_ttnn_visualizer import serve_tools

ROOT = Path(__file__).parents[1]
MODELS = {
    "BERT-large": "examples.zoo.bert:full",
    "ResNet-50": "examples.zoo.resnet:full",
    "Llama-3.1-8B decode step": "examples.zoo.llama_decode:full",
    "DLRM": "examples.zoo.dlrm:full",
    "DLRM in Tensor-Train form": "examples.criteo:terabyte",
}
FORMAT = "bfp8_b"


def main() -> None:
    """Print a row for each model whose files are read as they should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MODELS), metavar="MODEL", help=", ".join(MODELS))
    print("| model | ops | predicted, µs | tt-perf-report, s | ttnn-visualizer, s | Perfetto, s |")
    print("|---|---:|---:|---:|---:|---:|")
    client = str(ROOT / ".venv-tools/bin/tt-perf-report")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "served").mkdir()
        window = open_window(folder / "profile")
        if window is None:
            raise SystemExit("no chromium: apt-get install chromium chromium-driver")
        with serve_perfetto(folder / "served") as address, serve_tools(folder) as call:
            for number, model in enumerate(parser.parse_args().models):
                program = ttstack.compile(MODELS[model], dtype=FORMAT)
                report = program.cost()
                moments = [time.perf_counter()]
                check_csv(client, report, folder)
                moments.append(time.perf_counter())
                check_folder(call, program, folder / str(number))
                moments.append(time.perf_counter())
                check_trace(window, address, folder / "served", report)
                moments.append(time.perf_counter())
                seconds = (f"{after - before:.1f}" for before, after in pairwise(moments))
                cells = (model, f"{len(report.ops)}", f"{report.total_ns / 1e3:,.1f}", *seconds)
                print(f"| {' | '.join(cells)} |", flush=True)
        window.quit()


if __name__ == "__main__":
    main()
