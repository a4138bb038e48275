"""Every phase of the small models of the zoo, written as text, read again and compiled on: the same program each time.

`python benchmarks/phases.py FOLDER [MODEL ...]`. What a model gave is kept in the folder, so that the command goes on
where it was stopped; the table has seconds of the whole compilation and of going on from each phase.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import ttstack
from ttstack.options.choices import Phase


def measured(name: str) -> dict[str, Any]:
    """For each phase of a model: bytes of its text, seconds from there to the program, and whether it is the same."""
    model, args, kwargs = import_module(f"examples.zoo.{name}").small()
    with torch.no_grad():
        exported = torch.export.export(model, args, kwargs)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        source = Path(folder) / "model.source.mlir"
        ttstack.compile_to(Phase.SOURCE, exported, dtype="bf16").save(source)
        program = ttstack.compile(exported, dtype="bf16")
        found: dict[str, Any] = {"seconds": time.perf_counter() - start}
        wanted = _digest(program, Path(folder))
        for phase in Phase:
            text = source.with_name(f"model.{phase}.mlir")
            if phase is not Phase.SOURCE:
                ttstack.PartialProgram.load(source).compile_to(phase).save(text)
            start = time.perf_counter()
            again = ttstack.compile_from(text)
            seconds = time.perf_counter() - start
            same = _digest(again, Path(folder)) == wanted
            found[phase] = {"bytes": text.stat().st_size, "seconds": seconds, "same": same}
            source = text
    return found


def _digest(program: ttstack.Program, folder: Path) -> str:
    """The digest of the saved program, with its weights."""
    path = folder / "model.ttb"
    program.save(path, weights="inline")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Measure what the folder has not, then print a row for each model; the exit code is 1 where a program differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    names = given.models or [name for family in import_module("examples.zoo").FAMILIES.values() for name in family]
    sys.stdout.write(f"| model | {' | '.join(Phase)} |\n|{'---|' * (len(Phase) + 1)}\n")
    different = 0
    for name in names:
        kept = given.folder / f"{name}.json"
        if not kept.exists():
            kept.write_text(json.dumps(measured(name)))
        found = json.loads(kept.read_text())
        cells = [f"{'same' if found[p]['same'] else 'DIFFERS'}, {found[p]['seconds']:.1f} s" for p in Phase]
        different += sum(not found[p]["same"] for p in Phase)
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
