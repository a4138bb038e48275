"""Models from PyTorch to a report: compile time by phase, peak memory, predicted latency, share of time by class.

`python benchmarks/models.py [MODEL ...] [--system-desc NAME] [--dtype FORMAT]`; each model in a process of its own.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from process_memory import memory

_ROOT = Path(__file__).parents[1]
MODELS = {"mlp": "mlp:mlp", "dlrm": "dlrm:dlrm", "bert": "bert:bert_base"}


def measure(name: str, system: str, dtype: str | None) -> dict[str, Any]:
    """Seconds by phase, MiB beyond torch and the exported model, and the prediction."""
    sys.path.insert(0, str(_ROOT / "tests" / "models"))
    from importlib import import_module

    import torch

    file, factory = MODELS[name].split(":")
    module, args, kwargs = (*getattr(import_module(file), factory)(), {})[:3]
    start = time.perf_counter()
    with torch.no_grad():
        exported = torch.export.export(module, tuple(args), kwargs)
    exporting = time.perf_counter() - start
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")

    import ttstack

    program = ttstack.compile(exported, system_desc=system, dtype=dtype)
    path = _ROOT / "build" / f"{name}.ttb"
    path.parent.mkdir(exist_ok=True)
    peak = memory("VmHWM") - before
    start = time.perf_counter()
    program.save(path)
    saving = time.perf_counter() - start
    start = time.perf_counter()
    report = program.cost()
    return {
        "phases": {"torch.export": exporting, **program.phases, "save": saving, "cost": time.perf_counter() - start},
        "peak": peak,
        "ops": len(report.ops),
        "ms": report.total_ns / 1e6,
        "shares": report.shares(),
    }


def main() -> None:
    """Print what was measured, a block for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--system-desc", default="wormhole")
    parser.add_argument("--dtype")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.system_desc, given.dtype)))
        return
    for name in given.models:
        options = ["--system-desc", given.system_desc, *(["--dtype", given.dtype] if given.dtype else [])]
        command = [sys.executable, __file__, "--measure", name, *options]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
        print(f"{name}: {found['ops']} ops, {found['ms']:.3f} ms predicted, peak {found['peak']:.0f} MiB")
        print("  seconds: " + ", ".join(f"{k} {v:.3f}" for k, v in found["phases"].items()))
        print("  time:    " + ", ".join(f"{k} {v:.1%}" for k, v in found["shares"].items()))


if __name__ == "__main__":
    main()
