"""What the tests of the repository take, as `make test-times` stored it."""

import json
from pathlib import Path

from ttstack_docs.markdown import table

_STORED = Path(__file__).parents[2] / "test-times.json"


def test_times() -> str:
    """Two tables: tests and seconds of the processor by folder, and the slowest tests."""
    stored = json.loads(_STORED.read_text())
    folders = [[f"`tests/{name}`", str(count), f"{spent:.0f}"] for name, (count, spent) in stored["folders"].items()]
    total = [str(sum(column)) for column in zip(*stored["folders"].values(), strict=True)]
    slowest = [[f"`{test}`", f"{s:.1f}"] for test, s in stored["slowest"]]
    return "\n\n".join(
        [
            table(["Folder", "Tests", "Seconds"], [*folders, ["all", total[0], f"{float(total[1]):.0f}"]]),
            table(["Slowest tests", "Seconds"], slowest),
        ]
    )
