"""Steps of training in the runtime against PyTorch: `python -m benchmarks.training [NAME ...]`.

For each model, ten steps of SGD and twenty of Adam in float32: the loss of each step, below it that in the device's
formats and with a forward pass in bfp8, and the largest difference of any parameter or buffer over its largest value,
beside those of the program and of PyTorch's own float32 from PyTorch's float64; then what the library makes of the
program (`ttstack check`) where `TTSTACK_TTNN_PYTHON` names an interpreter that has it, and what a step is predicted to
take, by its parts.
"""

import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import partial

import torch

import ttstack
from tests.training import models
from tests.training.steps import MakeOptimizer, Trained, from_exact, train
from ttstack.diagnostics import TTStackError
from ttstack.library.run import VARIABLE, check

TASKS = {
    "mlp": models.mlp,
    "dlrm": models.dlrm,
    "dlrm-tensor-train": partial(models.dlrm, rows=5000, ranks=4),
    "gpt2": models.gpt2,
    "bert": models.bert,
    "resnet": models.resnet,
    "resnet-smooth": partial(models.resnet, smooth=True),
}
OPTIMIZERS = {
    "sgd": (partial(torch.optim.SGD, lr=0.01, momentum=0.9), 10),
    "adam": (partial(torch.optim.Adam, lr=1e-4, eps=1e-6), 20),
}


def shares(trained: Trained) -> dict[str, float]:
    """Predicted time of each part of the step, in percent."""
    time_of = defaultdict[str, float](float)
    report = trained.program.cost()
    for op in report.ops:
        time_of[op.location.partition(" ")[0].partition(".")[0]] += op.kernel_ns + op.gap_ns
    return {part: 100 * ns / sum(time_of.values()) for part, ns in time_of.items()}


def judged(trained: Trained, name: str) -> str:
    """How many ops the library takes, and why it refuses others: all as they stand in the program."""
    if VARIABLE not in os.environ:
        return f"not asked, as {VARIABLE} names no interpreter"
    found = check(trained.program.binary, trained.program.function(), name)
    refused = Counter(f"{verdict.name} ({verdict.refusal})" for verdict in found.refused)
    why = [f"{count} {reason}" for reason, count in refused.items()] + [found.refusal] * bool(found.refusal)
    return (
        f"{len(found.verdicts) - len(found.refused)} of {len(found.verdicts)} ops; refused {'; '.join(why) or 'none'}"
    )


def curve(losses: Iterable[float]) -> str:
    """Losses of the steps in order."""
    return " ".join(f"{loss:.4f}" for loss in losses)


def in_bfp8(task: models.Task, optimizer: MakeOptimizer) -> ttstack.Program:
    """The step whose forward pass computes in bfp8 where autocast would in bf16."""
    given = {"loss": task.loss, "targets": task.target, "autocast": "bf16", "half_dtype": "bfp8_b"}
    return ttstack.compile_step(task.model, task.inputs, optimizer=optimizer, **given)


def main(names: list[str]) -> int:
    """Train the models of these names, or all; 1 where one cannot be compiled."""
    refused = 0
    for name in names or list(TASKS):
        for kind, (optimizer, steps) in OPTIMIZERS.items():
            task = TASKS[name]()
            start = time.perf_counter()
            try:
                trained = train(task.model, task.inputs, optimizer, loss=task.loss, target=task.target, steps=steps)
            except TTStackError as error:
                print(f"{name} {kind}: {error}", flush=True)
                refused = 1
                continue
            compiled, taken = sum(trained.program.phases.values()), time.perf_counter() - start
            worst = max(trained.apart, key=lambda key: trained.apart[key])
            parts = ", ".join(f"{part} {share:.0f} %" for part, share in shares(trained).items())
            formats = trained.program.steps([trained.batch] * steps, numerics="device")
            narrow = in_bfp8(task, optimizer).steps([trained.batch] * steps, numerics="device")
            print(f"{name} {kind}: loss {trained.losses[-1]:.5f} in the end, PyTorch's {trained.expected[-1]:.5f}")
            print(f"  float32         {curve(trained.losses)}")
            print(f"  device formats  {curve(float(run.outputs['loss']) for run in formats)}")
            print(f"  bfp8 forward    {curve(float(run.outputs['loss']) for run in narrow)}")
            print(f"  at most {trained.worst:.1e} apart after {steps} steps ({worst}: {trained.apart[worst]:.1e})")
            ours, own = from_exact(task, trained, optimizer, steps)
            print(f"  from PyTorch's float64: {ours:.1e}, PyTorch's float32 {own:.1e}")
            print(f"  taken by the library: {judged(trained, name)}")
            print(f"  {parts}; compiled in {compiled:.0f} s, all in {taken:.0f} s", flush=True)
    return refused


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
