"""Compile time and memory of whole models at two revisions, measured in turn.

`python benchmarks/compile_time.py BASE [--rounds N] [MODEL ...]` compares the working tree with BASE. Both compile the
TTIR that BASE makes of the described models of `placement.py`, each time in a process of its own; medians are printed.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE / "replay"))

from revisions import checked_out, revision, working_tree  # noqa: E402

MODELS = ("bert_base", "resnet", "llama")
"""Keys of `placement.MODELS`."""


def write_model(name: str, path: str) -> None:
    """Write the model's TTIR, and print the format that it is compiled in."""
    from benchmarks.placement import MODELS, text_of

    Path(text_of(MODELS[name], Path(path).parent)).rename(path)
    sys.stdout.write(MODELS[name].dtype)


def compile_model(path: str, dtype: str) -> None:
    """Compile a file; print processor seconds, and the most KiB that a process has held, children included."""
    import ttstack

    before = sum(os.times()[:4])
    ttstack.compile(path, dtype=dtype, placement="greedy")
    seconds = sum(os.times()[:4]) - before
    held = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    sys.stdout.write(f"{seconds} {max(held)}")


def printed(root: Path, function: str, *arguments: str) -> str:
    """What a function of this file prints with the code of a revision."""
    code = f"import sys; sys.path.append({str(_HERE)!r}); import compile_time; compile_time.{function}(*sys.argv[1:])"
    environment = os.environ | {"PYTHONPATH": f"{root}:{root / 'runtime'}", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=root, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def compare(name: str, roots: list[Path], rounds: int, path: str) -> str:
    """A row of the table."""
    dtype = printed(roots[0], "write_model", name, path).splitlines()[-1]
    found: list[list[list[float]]] = [[], []]
    for _ in range(rounds):
        for figures, root in zip(found, roots, strict=True):
            figures.append([float(x) for x in printed(root, "compile_model", path, dtype).split()])
    (before, held), (now, holds) = ([statistics.median(x) for x in zip(*figures, strict=True)] for figures in found)
    times = f"{before:8.2f} {now:8.2f} {now / before:6.3f}"
    return f"{name:10} {times} {held / 1024:11.0f} {holds / 1024:8.0f} {holds / held:6.3f}"


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="BASE", help="a commit, a branch, HEAD~1")
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    sys.stdout.write(
        f"{'model':12} {'s before':>8} {'s now':>8} {'ratio':>7} {'MiB before':>9} {'now':>9} {'ratio':>7}\n"
    )
    with ExitStack() as stack:
        roots = [stack.enter_context(checked_out(of)) for of in (revision(options.base), working_tree())]
        path = f"{stack.enter_context(tempfile.TemporaryDirectory())}/compiled.mlir"
        for name in options.models:
            sys.stdout.write(compare(name, roots, options.rounds, path) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
