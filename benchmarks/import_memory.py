"""What importing a PyTorch model to TTIR costs beyond torch, the model and torch.export: seconds and peak memory.

Each model is measured in a process of its own: `python benchmarks/import_memory.py [MODEL ...]`.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import torch
from process_memory import memory
from torch import nn

_ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "models")]

Model = tuple[nn.Module, tuple[object, ...], dict[str, object]]


def table() -> Model:
    """One embedding table of 1 GiB."""
    model = nn.EmbeddingBag(4 * 1024 * 1024, 64, mode="sum", _weight=torch.ones(4 * 1024 * 1024, 64)).eval()
    return model, (torch.zeros(512, dtype=torch.int64), torch.arange(0, 512, 4)), {}


def bert() -> Model:
    """BERT-base, one sequence of 128 tokens."""
    return import_module("bert").bert_base()


def dlrm() -> Model:
    """DLRM with 26 tables of 100,000 rows."""
    return (*import_module("dlrm").dlrm(rows=100_000), {})


MODELS: dict[str, Callable[[], Model]] = {"table": table, "bert": bert, "dlrm": dlrm}


def measure(name: str) -> dict[str, float]:
    """Seconds and MiB of importing one model, the import of MLIR included."""
    model, args, kwargs = MODELS[name]()
    with torch.no_grad():
        program = torch.export.export(model, args, kwargs)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before, start = memory("VmRSS"), time.perf_counter()

    import_torch = import_module("ttstack.frontends.torch").import_torch
    new_context = import_module("ttstack.dialects.context").new_context
    imported = import_torch(program, context=new_context())
    seconds, peak = time.perf_counter() - start, memory("VmHWM") - before
    again = time.perf_counter()
    import_torch(program, context=new_context())
    weights = sum(array.nbytes for array in imported.weights.values()) / 2**20
    return {
        "seconds": seconds,
        "again": time.perf_counter() - again,
        "peak": peak,
        "weights": weights,
        "ops": len(imported.module.body.operations[0].regions[0].blocks[0].operations),
    }


def main(names: list[str]) -> None:
    """Print a line for each model."""
    sys.stdout.write(f"{'model':8}{'seconds':>9}{'again':>9}{'peak MiB':>10}{'weights MiB':>13}{'ops':>6}\n")
    for name in names or MODELS:
        command = [sys.executable, __file__, "--measure", name]
        found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        sys.stdout.write(
            f"{name:8}{found['seconds']:9.3f}{found['again']:9.3f}{found['peak']:10.0f}"
            f"{found['weights']:13.0f}{found['ops']:6.0f}\n"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.stdout.write(json.dumps(measure(sys.argv[2])))
    else:
        main(sys.argv[1:])
