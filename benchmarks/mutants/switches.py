"""All mutants of a checkout in one program, each of which is switched on by its key.

Of `a + b` becomes `((a - b) if _mutant("KEY") else (a + b))`. The function lies in `site`, which Python loads in every
process that the tests start.
"""

import ast
import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.mutants.changes import Mutant

SITE = Path(__file__).parent / "site"


def switched(source: bytes, mutants: Iterable[Mutant]) -> tuple[bytes, list[Mutant]]:
    """A file in which these can be switched on, and those of them that can."""
    built: list[Mutant] = []
    for mutant in sorted(mutants, key=lambda m: m.start, reverse=True):
        if built and mutant.end > built[-1].start:
            continue  # one lies in the other
        changed = source[: mutant.start] + _switch(mutant).encode() + source[mutant.end :]
        if _compiles(changed):
            source, built = changed, [*built, mutant]
    return source, built


def build(tree: Path, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Give a checkout the switches; those of the mutants that got one."""
    shutil.copytree(SITE, tree / SITE.name, dirs_exist_ok=True)
    of_file: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        of_file[mutant.path].append(mutant)
    every: list[Mutant] = []
    for path, inside in of_file.items():
        source, built = switched((tree / path).read_bytes(), inside)
        (tree / path).write_bytes(source)
        every += built
    return every


def _switch(mutant: Mutant) -> str:
    if mutant.after == "pass":
        return f'if not _mutant("{mutant.key}"): {mutant.before}'
    return f'({mutant.after} if _mutant("{mutant.key}") else ({mutant.before}))'


def _compiles(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True
