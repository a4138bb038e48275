"""Networks of a half, each in a process with limits of time and memory, and the records that these leave."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from benchmarks.unseen import draw
from benchmarks.unseen.draw import ROOT

SECONDS = 240
GIBIBYTES = 10
"""Memory of the process of a network, unless another limit is chosen."""

Record = dict[str, Any]
"""The library and name of a network, the last step that was taken, and its figures or an error."""


def read(path: Path) -> list[Record]:
    """The records of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_counted(record: Record) -> bool:
    """Return True if our compiler was reached; networks that their library or PyTorch refuses are replaced."""
    return record["step"] == "compile"


def measure(path: Path, half: str, names: Sequence[str], tree: Path, gibibytes: int = GIBIBYTES) -> Iterator[Record]:
    """Compile what the file has not, with reserves for what cannot be built or exported, and add it to the file."""
    drawn = draw.read()
    done = {(record["library"], record["name"]): record for record in read(path)}
    with path.open("a") as file:
        for library, listed in drawn[half].items():
            counted = 0
            for name in names or listed:
                if name not in listed or counted == drawn["counts"][library]:
                    continue
                record = done.get((library, name))
                if record is None:
                    record = run(library, name, tree, gibibytes)
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    yield record
                counted += is_counted(record)


def run(library: str, name: str, tree: Path, gibibytes: int) -> Record:
    """Build, export and compile one network with the code of a checkout."""
    search = os.pathsep.join([str(tree), str(tree / "runtime"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-P", "-m", "benchmarks.unseen.child", library, name, str(gibibytes)]
    start = time.perf_counter()
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        with subprocess.Popen(command, stdout=out, stderr=errors, env=os.environ | {"PYTHONPATH": search}) as process:
            try:
                ended = f"the process ended with {process.wait(SECONDS)}"
            except subprocess.TimeoutExpired:
                process.kill()
                ended = f"stopped after {SECONDS} s"
        out.seek(0)
        errors.seek(0)
        steps = [json.loads(line) for line in out.read().splitlines() if line.startswith('{"step"')]
        found: Record = steps[-1] if steps else {"step": "export"}
        if "us" not in found and "error" not in found:
            found["error"] = f"{ended}; {errors.read()[-300:].strip()}"
    return {"library": library, "name": name, **found, "process_seconds": round(time.perf_counter() - start, 1)}
