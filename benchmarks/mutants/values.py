"""Faults in rewrites that change values: does `--check-values` find them, and does the bisection end at the right one?

    python -m benchmarks.mutants.values [--seed 1] [--count 40] [--json FILE]

Small changes are drawn from the files of rewrites. One counts if a model has other values at the end of the pipeline
with it, on random inputs: one of `MODELS`, or an example of a rewrite (`docs/rewrites`). Each runs in a child of one
process that has read the models.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDERS = ("attention", "caches", "embeddings", "fusion", "images", "legalize", "matmuls", "movement", "recurrence")
FOLDERS += ("recognize", "simplify", "facts")
MODELS = (
    "examples/encoder_layer.mlir",
    "examples/dlrm.mlir",
    "examples.zoo.bert:small",
    "examples.zoo.gpt2:small",
    "examples.zoo.llama_decode:small",
    "examples.zoo.swin:small",
    "examples.zoo.unet:small",
    "examples.zoo.efficientnet:small",
    "examples.zoo.mamba:small",
    "examples.zoo.lstm:small",
    "examples.zoo.mixtral:small",
    "examples.zoo.t5:small",
)
_SECONDS = 900
"""Seconds after which a fault counts as one that never ends."""
_DRAWN = 1500
"""Changes that are switched in at once; most are reached by no model, or alter no value."""


def main() -> None:
    """Draw faults, try them, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--reduce", type=int, default=0, help="reduce the modules of so many faults")
    parser.add_argument("--json", type=lambda name: Path(name).absolute())
    parser.add_argument("--tree", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.tree is None:
        _in_switched_tree(given)
        return
    rows = list(_measure(given.tree, given.seed, given.count, given.reduce))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))
    _summarize(rows)


def _in_switched_tree(given: argparse.Namespace) -> None:
    """Run this again on a copy of the checkout whose files have the switches."""
    from benchmarks.mutants.changes import mutants
    from benchmarks.mutants.switches import build

    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("ttstack", "runtime", "examples", "benchmarks", "docs/rewrites"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        files = [f for d in FOLDERS for f in sorted((tree / "ttstack/passes/ttir" / d).glob("*.py"))]
        found = [m for f in files for m in mutants(str(f.relative_to(tree)), f.read_bytes())]
        drawn = random.Random(given.seed).sample(found, min(_DRAWN, len(found)))
        switched = build(tree, drawn)
        listed = [{"key": m.key, "path": m.path, "line": m.line, "text": str(m)} for m in switched]
        (tree / "mutants.json").write_text(json.dumps(listed))
        print(f"{len(found)} changes, {len(switched)} drawn", flush=True)
        path = os.pathsep.join(map(str, (tree / "benchmarks/mutants/site", tree, tree / "runtime")))
        arguments = [a for a in sys.argv[1:] if a]
        command = [sys.executable, "-m", "benchmarks.mutants.values", *arguments, "--tree", str(tree)]
        environment = {**os.environ, "PYTHONPATH": path, "MUTANTS_REACHED": os.devnull}
        subprocess.run(command, env=environment, cwd=tree, check=True)


def _measure(tree: Path, seed: int, count: int, reduced: int) -> Iterator[dict[str, Any]]:
    import sitecustomize as switches

    models = dict(_read_models())
    listed = {row["key"]: row for row in json.loads((tree / "mutants.json").read_text())}
    reached, plain, seconds = dict[str, list[str]](), dict[str, bytes](), dict[str, float]()
    for name, model in models.items():
        switches.reached.clear()
        switches.home = os.getpid()
        start = time.perf_counter()
        plain[name] = _compiled(model)[0]
        seconds[name] = time.perf_counter() - start
        for key in sorted(switches.reached & listed.keys()):
            reached.setdefault(key, []).append(name)
    keys = sorted(reached)
    random.Random(seed).shuffle(keys)
    print(f"{len(keys)} changes are reached", flush=True)
    found, fates = 0, Counter[str]()
    for tried, key in enumerate(keys):
        if tried % 20 == 0:
            print(f"{tried} tried: {dict(fates)}", flush=True)
        for name in sorted(reached[key], key=lambda name: seconds[name])[:2]:
            row = _in_child(partial(_try, models[name], plain[name], key, reduce=found < reduced))
            fates[str(row["fate"]) if row and "fate" in row else "died" if row is None else "changes values"] += 1
            if row and "fate" not in row:
                found += 1
                done = {**listed[key], "model": name, **row}
                done["right"] = _is_right(done)
                print(json.dumps(done), flush=True)
                yield done
                break
        if found == count:
            return


def _read_models() -> Iterator[tuple[str, Any]]:
    from ttstack.debugging.snapshot import Snapshot, with_random_weights
    from ttstack.frontends.source import import_model
    from ttstack.passes.weights import Weights

    examples = sorted(f"docs/rewrites/{file.name}" for file in (ROOT / "docs/rewrites").glob("*.mlir"))
    for name in (*MODELS, *examples):
        source = str(ROOT / name) if name.endswith(".mlir") else name
        with import_model(source) as found:
            weights = Weights.of(with_random_weights(found.module, found.weights))
            yield name, Snapshot.of(found.module, weights)


def _pipeline() -> Any:
    from ttstack.options.model import CompileOptions
    from ttstack.passes.pipelines import ttir_to_ttnn

    return ttir_to_ttnn(CompileOptions())


def _compiled(model: Any) -> tuple[bytes, Any]:
    """The digest of a model after all passes, and its snapshot."""
    from ttstack.debugging.snapshot import Snapshot
    from ttstack.dialects.context import new_context
    from ttstack.mlir import ir
    from ttstack.passes.base import digest

    with new_context(), ir.Location.unknown():
        weights, module = model.weights.copy(), model.module()
        _pipeline().with_weights(weights).run(module)
        return digest(module), Snapshot.of(module, weights)


def _fate(model: Any, plain: bytes) -> str | None:
    """Why a fault does not count: the program or its values are the same; None if values differ on random inputs."""
    from ttstack.debugging.samples import samples
    from ttstack.debugging.snapshot import all_values
    from ttstack.debugging.value_check import differences, tolerance
    from ttstack.dialects.context import new_context
    from ttstack.mlir import ir

    found, after = _compiled(model)
    if found == plain:
        return "same program"
    with new_context(), ir.Location.unknown():
        first = model.program()
        drawn = {f.name: samples(f)[:1] for f in first.functions}
        expected, values = all_values(first, drawn), all_values(after.program(), drawn)
        allowed = tolerance(model.weights, after.weights)
        changed = any(c.values.relative > allowed for c in differences(expected, values, drawn))
        return None if changed else "same values"


def _try(model: Any, plain: bytes, key: str, *, reduce: bool) -> dict[str, Any] | None:
    """What becomes of a fault, or why it does not count."""
    import sitecustomize as switches

    switches.on = key
    try:
        if (fate := _fate(model, plain)) is not None:
            return {"fate": fate}
    except Exception as e:
        return {"fate": f"fails: {type(e).__name__}"}
    from ttstack.debugging.bisect import bisect_values
    from ttstack.dialects.context import new_context
    from ttstack.mlir import ir

    start = time.perf_counter()
    checked = _checked(model)
    row: dict[str, Any] = {"check": checked, "check_seconds": round(time.perf_counter() - start, 1)}
    start = time.perf_counter()
    with new_context(), ir.Location.unknown():
        module = model.module()
        culprit = bisect_values(module, _pipeline(), dict(model.weights.arrays))
        row["bisect_seconds"] = round(time.perf_counter() - start, 1)
        if culprit is None:
            return row | {"bisect": None}
        attempt = culprit.attempt
        row |= {"bisect": culprit.step.title, "application": culprit.number, "of": culprit.applications}
        row |= {"rewrite": attempt.rewrite if attempt else None}
        if reduce:
            row |= _reduced(culprit)
    return row


def _checked(model: Any) -> str | None:
    """The pass at which `--check-values` fails."""
    from ttstack.debugging.value_check import check_pipeline
    from ttstack.diagnostics import ValueChangeError
    from ttstack.dialects.context import new_context
    from ttstack.mlir import ir
    from ttstack.passes.instrumented import Instruments

    with new_context(), ir.Location.unknown():
        try:
            check_pipeline(model.module(), _pipeline(), model.weights, Instruments(check_values="exact"))
        except ValueChangeError as e:
            return e.diagnostic.message.split("'")[1]
    return None


def _reduced(culprit: Any) -> dict[str, Any]:
    from ttstack.debugging.bisect import changes_values
    from ttstack.frontends.readers.text import read_string
    from ttstack.reduce import ReductionState, reduce_module

    start, sizes, text = time.perf_counter(), list[int](), culprit.module()

    def holds(smaller: str) -> bool:
        return changes_values(smaller, culprit.step, lambda t: read_string(t, "<text>").module)

    def keep(now: ReductionState) -> None:
        sizes.append(now.ops)
        if time.perf_counter() - start > 600:
            raise TimeoutError

    if not holds(text):
        return {"ops": None}
    try:
        reduce_module(text, holds, keep)
    except TimeoutError:
        return {"ops": sizes[-1], "reduce_seconds": "600 and more"}
    return {"ops": sizes[-1] if sizes else None, "reduce_seconds": round(time.perf_counter() - start, 1)}


def _is_right(row: Mapping[str, Any]) -> bool:
    """Whether the pass that was found is made of code of the changed file, or imports it."""
    from ttstack.passes.base import PASSES

    if row.get("bisect") not in PASSES:
        return False
    changed = row["path"].removesuffix(".py").replace("/", ".")
    seen: set[str] = set()
    waiting = [PASSES[row["bisect"]].__module__]
    while waiting:
        module = waiting.pop()
        if module == changed:
            return True
        if module not in seen and module.startswith("ttstack.passes.ttir"):
            seen.add(module)
            names = vars(sys.modules[module]).values()
            waiting += [m for v in names if isinstance(m := getattr(v, "__module__", None), str)]
            waiting += [v.__name__ for v in names if isinstance(v, type(sys))]
    return False


def _in_child(work: Callable[[], dict[str, Any] | None]) -> dict[str, Any] | None:
    """What a child computed; None if it died."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        signal.alarm(_SECONDS)
        try:
            with os.fdopen(write, "w") as file:
                file.write(json.dumps(work()))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


def _summarize(rows: list[dict[str, Any]]) -> None:
    found = sum(row["check"] is not None for row in rows)
    right = sum(row["right"] for row in rows)
    slowest = max((row["bisect_seconds"] for row in rows), default=0)
    print(f"{len(rows)} faults: --check-values found {found}, bisect ended at the right pass {right} times,")
    print(f"in at most {slowest} s")


if __name__ == "__main__":
    main()
