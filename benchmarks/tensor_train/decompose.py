"""Decomposition beside tensorly's: time, memory beyond the table, and error; growth with rows; a table on disk.

`python benchmarks/tensor_train/decompose.py [compare | growth | disk] [--rows N] [--repeats K]`; needs the extra
`benchmarks`. Every measurement is a process of its own, and methods take turns.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ttstack.tensor_train import TensorTrain, TensorTrainPlan, decompose, plan

METHODS = ("ttstack", "ttstack, uncertified", "tensorly randomized_svd", "tensorly truncated_svd")
MIB = 1 << 20


def planted(made: TensorTrainPlan, noise: float = 1e-3) -> np.ndarray:
    """A table that is of rank 16 but for noise of that relative size, in float32."""
    rng = np.random.default_rng(0)
    exact = plan(made.rows, made.cols, ranks=16, row_factors=made.row_factors, col_factors=made.col_factors)
    train = TensorTrain(exact, tuple(rng.standard_normal(s, dtype=np.float32) for s in exact.core_shapes))
    table = np.empty((made.rows, made.cols), np.float32)
    for start in range(0, made.rows, 100_000):
        rows = train.to_dense(slice(start, start + 100_000))
        scale = noise * rows.std()
        table[start : start + len(rows)] = rows + scale * rng.standard_normal(rows.shape, dtype=np.float32)
    return table


def by_tensorly(table: np.ndarray, made: TensorTrainPlan, svd: str) -> TensorTrain:
    """What tensorly's `tensor_train_matrix` makes of a table without padding."""
    import tensorly
    from tensorly.decomposition import tensor_train_matrix

    tensor = tensorly.tensor(table.reshape(*made.row_factors, *made.col_factors))
    factors = tensor_train_matrix(tensor, rank=list(made.ranks), svd=svd).factors
    cores = [np.ascontiguousarray(f.transpose(1, 0, 2, 3)).reshape(f.shape[1], f.shape[0], -1) for f in factors]
    return TensorTrain(made, tuple(cores))


def method(name: str) -> Callable[[np.ndarray, TensorTrainPlan], TensorTrain]:
    """The function of that name."""
    if name == "ttstack":
        return decompose
    if name == "ttstack, uncertified":
        return uncertified
    return lambda table, made: by_tensorly(table, made, name.split()[1])


def uncertified(table: np.ndarray, made: TensorTrainPlan) -> TensorTrain:
    """The sweep alone: neither the check of the values nor the pass that measures the error, as tensorly has none."""
    from ttstack.tensor_train.sweep import swept
    from ttstack.tensor_train.tables import DenseTable

    ranks, cores = swept(DenseTable(table, 1.0), made, np.float32, None, None)
    return TensorTrain(replace(made, ranks=ranks), tuple(np.ascontiguousarray(core, np.float32) for core in cores))


def run_one(name: str, file: str, made: TensorTrainPlan) -> None:
    """Print seconds, seconds of processors, MiB beyond what was in use, and the error."""
    work = method(name)
    small = plan(1000, 8, ranks=2, row_factors=(10, 10, 10))
    work(planted(small), small)
    table = np.load(file)
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    start, busy = time.perf_counter(), time.process_time()
    train = work(table, made)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    extra = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    print(seconds, busy, extra / MIB, train.rel_error(table))


def measured(name: str, file: Path, made: TensorTrainPlan) -> list[float]:
    """What `run_one` prints, of a new process."""
    shape = f"{made.rows},{made.cols},{made.ranks[1]}"
    done = subprocess.run(
        [sys.executable, __file__, "one", "--method", name, "--file", str(file), "--shape", shape],
        check=True,
        capture_output=True,
        text=True,
    )
    return [float(word) for word in done.stdout.split()[-4:]]


def shaped(rows: int, cols: int, rank: int) -> TensorTrainPlan:
    """The plan that all methods take, with (4, 4, 4) for a width of 64."""
    return plan(rows, cols, ranks=rank)


def compare(rows: int, repeats: int, folder: Path) -> None:
    """Every method on one table, at ranks 16 and 32."""
    np.save(folder / "table.npy", planted(shaped(rows, 64, 16)))
    for rank in (16, 32):
        made = shaped(rows, 64, rank)
        runs = {name: [] for name in METHODS}
        for turn in range(repeats):
            for name in METHODS:
                if turn < (1 if "truncated" in name else repeats):
                    runs[name].append(measured(name, folder / "table.npy", made))
        ours = min(busy for _, busy, _, _ in runs["ttstack"])
        for name, found in runs.items():
            seconds, busy, extra, error = (min(column) for column in zip(*found, strict=True))
            times = f"{seconds:7.3f} s, of processors {busy:7.3f} s ({busy / ours:5.1f}x)"
            print(f"rank {rank}: {name:24} {times} +{extra:6.0f} MiB error {error:.7e}", flush=True)


def growth(repeats: int, folder: Path) -> None:
    """Time and memory over rows."""
    for rows in (10**4, 10**5, 10**6, 10**7):
        made = shaped(rows, 64, 16)
        np.save(folder / "table.npy", planted(made))
        runs = [measured("ttstack", folder / "table.npy", made) for _ in range(repeats)]
        seconds, busy, extra, _ = (min(column) for column in zip(*runs, strict=True))
        times = f"{seconds:7.3f} s, of processors {busy:7.3f} s ({1e9 * busy / rows / 64:5.2f} ns an entry)"
        print(f"{rows:10,} rows: {times}, +{extra:5.0f} MiB", flush=True)


def disk(rows: int, folder: Path) -> None:
    """A table of `rows x 128` float32 that is mapped from a file, with a progress bar."""
    from rich.progress import Progress

    file, made = folder / "table.f32", plan(rows, 128, ranks=32)
    rng = np.random.default_rng(0)
    with file.open("wb") as target:
        for start in range(0, rows, 100_000):
            target.write(rng.standard_normal((min(100_000, rows - start), 128), dtype=np.float32).tobytes())
    table = np.memmap(file, np.float32, "r", shape=(rows, 128))
    start = time.perf_counter()
    with Progress() as progress:
        tasks = {}

        def show(task: str, share: float) -> None:
            if task not in tasks or share < progress.tasks[tasks[task]].completed:
                tasks[task] = progress.add_task(task, total=1.0)
            progress.update(tasks[task], completed=share)

        train = decompose(table, made, progress=show)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = file.stat().st_size / 1e9
    print(f"{size:.2f} GB in {time.perf_counter() - start:.1f} s, peak {peak:.0f} MiB")
    print(f"{train.nbytes / 1e6:.2f} MB of cores, {train.certificate}")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="compare", choices=("compare", "growth", "disk", "one"))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", default=None, help="where tables are written; a temporary one")
    for name in ("method", "file", "shape"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.what == "one":
        run_one(given.method, given.file, shaped(*(int(n) for n in given.shape.split(","))))
        return
    print(f"{os.environ.get('OMP_NUM_THREADS', os.cpu_count())} threads")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        if given.what == "compare":
            compare(given.rows or 1_000_000, given.repeats, Path(folder))
        elif given.what == "growth":
            growth(given.repeats, Path(folder))
        else:
            disk(given.rows or 10_000_000, Path(folder))


if __name__ == "__main__":
    main()
