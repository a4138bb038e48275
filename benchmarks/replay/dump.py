"""What the revision in the current folder makes of the fixed set: `python dump.py FILE [--jobs N] [--only PATTERN]`.

Writes a line of JSON for each compilation. Called by `replay.py`, with that revision's packages on the path.
"""

import argparse
import json
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cases import cases, source_digest
from facts import Block, blocks, digest

POLICIES = ("dram", "greedy", "optimal")
NODES = 20
"""After which `optimal` ends: a limit of time would give another program each time."""
FORMAT = 1
"""The version of the lines' format. Dumps of two formats are not compared."""
MOST_FLOPS, MOST_ELEMENTS = 2e9, 5e7
"""Programs above are not executed."""


def compiled(source: Any, policy: str) -> Any:
    """The program under a policy."""
    import ttstack

    limit: Any = {"placement_nodes": NODES} if policy == "optimal" else {}
    return ttstack.compile(source, placement=policy, **limit)


def outputs(program: Any) -> Iterator[Block]:
    """A digest of what each function gives for inputs from a fixed seed, where that does not take long."""
    for function in program.binary.functions:
        flops = sum(function.definition(operation).flops() for operation in function.operations)
        if flops > MOST_FLOPS or sum(tensor.type.size for tensor in function.tensors) > MOST_ELEMENTS:
            continue
        try:
            run = program.run(seed=0, function=function.name)
            given = digest([*run.outputs.values(), *run.updated.values()])
        except Exception as error:
            given = failure(error)
        yield Block(f"run {function.name}", [("outputs", given)], {})


def failure(error: Exception) -> str:
    """The first line of an error, with what kind it is."""
    return f"{type(error).__name__}: {(str(error).splitlines() or ['no reason given'])[0]}"


def dump(name: str) -> list[str]:
    """The lines of one case."""
    warnings.simplefilter("ignore")
    (case,) = [c for c in cases() if c.name == name]
    found: list[str] = []
    source = case.load()
    for policy in POLICIES:
        try:
            program = compiled(source, policy)
            made = [*blocks(program.binary), *outputs(program)]
        except Exception as error:
            made = [Block("compile", [("error", failure(error))], {})]
        line = {"format": FORMAT, "case": name, "policy": policy, "source": source_digest(name), "blocks": made}
        found.append(json.dumps(line))
    return found


def main() -> None:
    """Dump all cases, in their order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="*")
    given = parser.parse_args()
    names = [case.name for case in cases() if fnmatch(case.name, given.only)]
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        tasks = {pool.submit(dump, name): name for name in names}
        found = {tasks[task]: task.result() for task in as_completed(tasks)}
    given.file.write_text("".join(f"{line}\n" for name in names for line in found[name]))


if __name__ == "__main__":
    main()
