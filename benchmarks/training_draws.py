"""ResNet-18 with ReLUs from other draws: `python -m benchmarks.training_draws [--count N]`.

Rounding decides whether a ReLU passes a value that is all but zero, and from there two runs in float32 part. For each
draw of weights, images and classes, ten steps of SGD: how far parameters and buffers are from PyTorch's float32, and
both from PyTorch's float64, as the largest difference over the largest value of each tensor.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence

from benchmarks.training import OPTIMIZERS
from tests.training.models import resnet
from tests.training.steps import from_exact, train


def main() -> int:
    """Print a line for each draw, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10, help="of draws, from number 0")
    optimizer, steps = OPTIMIZERS["sgd"]
    found: list[tuple[float, float, float]] = []
    for seed in range(parser.parse_args().count):
        task = resnet(seed=seed)
        trained = train(task.model, task.inputs, optimizer, loss=task.loss, target=task.target, steps=steps)
        found.append((trained.worst, *from_exact(task, trained, optimizer, steps)))
        print(f"{seed}: {_line(found[-1])}", flush=True)
    print(f"medians: {_line([statistics.median(column) for column in zip(*found, strict=True)])}")
    return 0


def _line(figures: Sequence[float]) -> str:
    apart, ours, own = figures
    return f"from float32 {apart:.1e}, from float64 {ours:.1e}, PyTorch's float32 from float64 {own:.1e}"


if __name__ == "__main__":
    sys.exit(main())
