"""Models as code of this machine's processor: `OMP_NUM_THREADS=2 python -m benchmarks.processor [MODEL ...]`.

For each small model of the zoo, `engine="cpu"` beside the NumPy runtime and PyTorch: the largest difference over the
largest value, what a run takes, the seconds of the first one, which compiles, the number of runs from which on all
together take less than in the runtime, and the size of the object file. The same of a step of training of four models.
Then `bert_base`, `resnet50` and `mlp`, compiled with and without BLAS, with OpenMP where there are several threads,
beside the runtime and PyTorch, eager and compiled, in the same process. Last `bert_large`, 384 tokens, in the NumPy
runtime alone: in float32, and in bfloat16 as a device would round it. Times are medians of nine runs, or of those in a
second where that is more, after one that is not counted: of one thread its processor time, which the work of others
disturbs least, of several what a clock says.
"""

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree
from transformers import BertConfig, BertModel, ResNetConfig, ResNetForImageClassification

import ttstack
from examples.zoo import FAMILIES
from examples.zoo.factory import Example
from tests.models.bert import bert_base
from tests.models.mlp import mlp
from tests.training import models
from ttstack.targets import cpu
from ttstack.targets.cpu.engine import compile_function

Array = np.ndarray[Any, Any]
LIMIT = 1e-4
"""The largest difference over the largest value that is float32 rounding: more is a failure."""


def resnet50() -> Example:
    """ResNet-50 on one image."""
    torch.manual_seed(0)
    return ResNetForImageClassification(ResNetConfig()).eval(), (), {"pixel_values": torch.randn(1, 3, 224, 224)}


def bert_large() -> Example:
    """BERT-large on 384 tokens, with random weights."""
    torch.manual_seed(0)
    config = BertConfig(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)
    model = BertModel(config).eval()
    return model, (torch.randint(0, 30000, (1, 384)),), {"attention_mask": torch.ones(1, 384, dtype=torch.long)}


def wide_mlp() -> Example:
    """Three layers of width 1,024 on 32 rows."""
    model, args = mlp(32, (1024, 1024, 1024, 1024))
    return model, args, {}


NETWORKS: Mapping[str, Callable[[], Example]] = {"bert_base": bert_base, "resnet50": resnet50, "mlp": wide_mlp}

STEPS: Sequence[str] = ("mlp", "dlrm", "bert", "gpt2")
"""Models of the tests of training; LLVM takes minutes for those whose steps are thousands of loops, such as ResNet."""

RUNTIME: Mapping[str, Callable[[], Example]] = {"bert_large": bert_large}


def milliseconds(run: Callable[[], object]) -> float:
    """The median of nine runs, or of those in a second where that is more, in ten seconds at most."""
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    run()
    taken = list[float]()
    while (len(taken) < 9 or sum(taken) < 1) and sum(taken) < 10:
        start = clock()
        run()
        taken.append(clock() - start)
    return 1e3 * median(taken)


def apart(have: Mapping[str, Array], want: Mapping[str, Array]) -> float:
    """The largest difference over the largest value, of the output where that is largest."""
    return max(_apart(have[name].astype(float), value.astype(float)) for name, value in want.items())


def _apart(have: Array, want: Array) -> float:
    return float(np.abs(have - want).max() / max(np.abs(want).max(), 1e-30)) if want.size else 0.0


def of_zoo(name: str) -> str:
    """A row for a small model: what two engines give of one program."""
    model, args, kwargs = import_module(f"examples.zoo.{name}").small()
    program = _compiled(model, args, kwargs)
    inputs = dict(zip(program.inputs(), _arrays((args, kwargs)), strict=True))
    with torch.no_grad():
        eager = milliseconds(lambda: model(*args, **kwargs))
    size = len(compile_function(program.function()).generated.code)
    return f"| {name} | {_engines(program, inputs)} | {eager:.1f} | {size / 1024:.0f} |"


def of_step(name: str) -> str:
    """A row for a step of training: what two engines give of one program."""
    task = getattr(models, name)()
    optimizer = partial(torch.optim.SGD, lr=0.01)
    program = ttstack.compile_step(task.model, task.inputs, optimizer=optimizer, loss=task.loss, targets=task.target)
    inputs = dict(zip(program.inputs(), _arrays((task.inputs, task.target)), strict=True))
    return f"| {name} | {_engines(program, inputs)} |"


def _engines(program: ttstack.Program, inputs: Mapping[str, Array]) -> str:
    """How far two engines are apart, milliseconds of each, seconds of the first run, and from which on it pays."""
    want = program.run(inputs)
    start = _processor_time()
    have = program.run(inputs, engine="cpu")
    first = _processor_time() - start
    found = max(apart(have.outputs, want.outputs), apart(have.updated, want.updated) if want.updated else 0.0)
    numpy_ms, native_ms = (milliseconds(lambda e=e: program.run(inputs, engine=e)) for e in ("numpy", "cpu"))
    runs = (1e3 * first - native_ms) / (numpy_ms - native_ms) if numpy_ms > native_ms else math.inf
    pays = f"{math.ceil(runs)}" if runs < math.inf else "never"
    row = f"{found:.1e} | {numpy_ms:.1f} | {native_ms:.1f} | {first:.1f} | {pays}"
    if found > LIMIT:
        raise ArithmeticError(f"{row} differs by more than {LIMIT}")
    return row


def _processor_time() -> float:
    """Seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def of_network(name: str) -> str:
    """A row for a network: the processor with and without BLAS, the runtime, and PyTorch."""
    model, args, kwargs = NETWORKS[name]()
    model = model.requires_grad_(False)
    program = _compiled(model, args, kwargs)
    arrays = _arrays((args, kwargs))
    inputs = dict(zip(program.inputs(), arrays, strict=True))
    quick = torch.compile(model)
    with torch.no_grad():
        expected = _arrays(model(*args, **kwargs))
        others = [milliseconds(lambda f=f: f(*args, **kwargs)) for f in (model, quick)]
    times, worst, size = [milliseconds(lambda: program.run(inputs)), *others], 0.0, 0
    for blas in (None, "scipy"):
        native, size = _native(model, args, kwargs, blas)
        given = dict(zip((a.name for a in native.function().inputs), arrays, strict=True))
        outputs = list(native.run(given).outputs.values())
        worst = max(worst, *(_apart(a, b) for a, b in zip(outputs, expected, strict=True)))
        times.insert(0, milliseconds(lambda run=native.run, x=given: run(x)))
    return f"| {name} | {worst:.1e} | {' | '.join(f'{ms:.1f}' for ms in times)} | {size / 1024:.0f} |"


def of_runtime(name: str) -> str:
    """A row for a network in the NumPy runtime beside PyTorch."""
    model, args, kwargs = RUNTIME[name]()
    model = model.requires_grad_(False)
    with torch.no_grad():
        exported = torch.export.export(model, tuple(args), dict(kwargs))
        eager = milliseconds(lambda: model(*args, **kwargs))
    arrays = _arrays((args, kwargs))
    plain, rounded = ttstack.compile(exported), ttstack.compile(exported, dtype="bf16")
    inputs = dict(zip(plain.inputs(), arrays, strict=True))
    times = [milliseconds(lambda: plain.run(inputs)), milliseconds(lambda: rounded.run(inputs, numerics="device"))]
    return f"| {name} | {eager:.0f} | " + " | ".join(f"{ms:.0f} | {ms / eager:.2f}" for ms in times) + " |"


def _native(
    model: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any], blas: str | None
) -> tuple[cpu.LoadedProgram, int]:
    with torch.no_grad():
        exported = torch.export.export(model, tuple(args), dict(kwargs))
    program = cpu.compile(exported, blas=blas, openmp=torch.get_num_threads() > 1)
    with tempfile.TemporaryDirectory() as folder:
        program.save(path := Path(folder) / "model.so")
        return cpu.load(path, program.weights), len(program.generated.code)


def _compiled(model: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ttstack.Program:
    with torch.no_grad():
        return ttstack.compile(torch.export.export(model, tuple(args), dict(kwargs)))


def _arrays(structure: object) -> list[Array]:
    return [leaf.numpy() for leaf in pytree.tree_leaves(structure) if isinstance(leaf, torch.Tensor)]


TABLES: Sequence[tuple[Callable[[str], str], Sequence[str], str]] = (
    (
        of_zoo,
        [name for family in FAMILIES.values() for name in family],
        "| model | apart | NumPy, ms | processor, ms | first run, s | pays from run | eager, ms | object, KiB |",
    ),
    (
        of_step,
        STEPS,
        "| step | apart | NumPy, ms | processor, ms | first run, s | pays from run |",
    ),
    (
        of_network,
        list(NETWORKS),
        "| network | apart | BLAS, ms | loops, ms | NumPy, ms | eager, ms | torch.compile, ms | object, KiB |",
    ),
    (
        of_runtime,
        list(RUNTIME),
        "| network | eager, ms | NumPy float32, ms | times eager | NumPy as a device, ms | times eager |",
    ),
)


def rows(names: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Lines of both tables, and whether each is as it shall be."""
    for measure, known, head in TABLES:
        chosen = [name for name in known if not names or name in names]
        if chosen:
            yield f"{head}\n|{'---|' * (head.count('|') - 1)}", True
        for name in chosen:
            try:
                yield measure(name), True
            except Exception as error:
                yield f"{name}: {type(error).__name__}: {error}", False


def main(names: Sequence[str]) -> int:
    """Print the tables; 1 where a model fails."""
    print(f"{torch.get_num_threads()} threads")
    well = True
    for line, good in rows(names):
        print(line, flush=True)
        well &= good
    return int(not well)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
