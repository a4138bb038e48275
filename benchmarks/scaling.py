"""How compile time grows with the number of ops: read, compile, cost and save, from 100 to 10,000 ops of one kind.

`python benchmarks/scaling.py [--plot FILE.svg] [SIZE ...]`; the plot needs the extra `plots`.
"""

import argparse
import tempfile
import time
from pathlib import Path

import ttstack

SIZES = (100, 300, 1000, 1300, 3000, 10000)

_ROW = "tensor<256x256xbf16>"
_KINDS = {
    "add": f'"ttir.add"(%{{0}}, %x) : ({_ROW}, {_ROW}) -> {_ROW}',
    "matmul": f'"ttir.matmul"(%{{0}}, %x) : ({_ROW}, {_ROW}) -> {_ROW}',
    "softmax": f'"ttir.softmax"(%{{0}}) <{{{{dimension = 1 : si32}}}}> : ({_ROW}) -> {_ROW}',
}


def chain(kind: str, count: int) -> str:
    """A module of `count` ops, each on the result of the one before."""
    lines = [f"  %{i + 1} = {_KINDS[kind].format(i)}" for i in range(1, count)]
    first = f"  %1 = {_KINDS[kind].format('x')}"
    body = "\n".join([first, *lines])
    return f"func.func @forward(%x: {_ROW}) -> {_ROW} {{\n{body}\n  return %{count} : {_ROW}\n}}\n"


def measure(kind: str, count: int) -> dict[str, float]:
    """Seconds to read, compile, cost and save."""
    text, seconds = chain(kind, count), {}
    start = time.perf_counter()
    program = ttstack.compile(text)
    seconds["parse"] = program.phases["parse"]
    seconds["compile"] = time.perf_counter() - start - seconds["parse"]
    start = time.perf_counter()
    program.cost()
    seconds["cost"] = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        program.save(Path(folder) / "chain.ttb")
        seconds["save"] = time.perf_counter() - start
    return seconds


def plot(found: dict[str, dict[int, float]], path: str) -> None:
    """Seconds over ops, both axes logarithmic."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for kind, totals in found.items():
        axes.loglog(list(totals), list(totals.values()), marker="o", label=kind)
    axes.set_xlabel("ops")
    axes.set_ylabel("seconds: read, compile, cost, save")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    """Print a line for each kind and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--plot")
    given = parser.parse_args()
    measure("add", 10)
    found: dict[str, dict[int, float]] = {}
    for kind in _KINDS:
        for count in given.sizes:
            seconds = measure(kind, count)
            total = found.setdefault(kind, {})[count] = sum(seconds.values())
            parts = ", ".join(f"{k} {v:.2f}" for k, v in seconds.items())
            print(f"{kind:8} {count:6} ops {total:7.2f} s {1e3 * total / count:6.2f} ms an op: {parts}")
    if given.plot:
        plot(found, given.plot)


if __name__ == "__main__":
    main()
