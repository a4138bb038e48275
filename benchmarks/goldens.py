"""Renews what tests compare with, and prints what changed by network: `make goldens`.

Networks are those of `tests/golden` and of the records in `docs/*.json`, whose own commands are on the pages that show
them. Of other stored results, how many lines changed is printed.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
COMMANDS = (
    ("pytest", "-q", "tests/golden", "tests/api/test_promises.py", "--update-golden"),
    ("make", "verdicts"),
)
"""What renews stored results; of the real library, where it is installed."""


@dataclass(frozen=True)
class Network:
    """What a stored result says of a network as a whole."""

    ops: int
    us: float


def placement(path: str, text: str) -> dict[str, Network]:
    """The functions of a file of `tests/golden/placements`, an op a line, together."""
    times = re.findall(r"^ .* = .* ([\d.e+]+) ns$", text, re.MULTILINE)
    return {Path(path).stem: Network(len(times), sum(map(float, times)) / 1000)} if times else {}


def report(path: str, text: str) -> dict[str, Network]:
    """The totals of a report."""
    times = re.findall(r"^time +([\d.,]+) (µs|ms),", text, re.MULTILINE)
    ops = re.findall(r"^ops +([\d,]+),", text, re.MULTILINE)
    if not times or not ops:
        return {}
    (time, unit), *_ = times
    number = int(ops[0].replace(",", ""))
    return {f"{Path(path).stem} report": Network(number, float(time.replace(",", "")) * {"µs": 1.0, "ms": 1e3}[unit])}


def records(path: str, text: str) -> dict[str, Network]:
    """All records of a JSON file that have a number of ops and a predicted time."""
    return dict(_records(Path(path).stem, json.loads(text)))


def _records(name: str, value: Any) -> Iterator[tuple[str, Network]]:
    if isinstance(value, Mapping):
        ops = value.get("ops", value.get("device_ops"))
        ns = value.get("predicted_ns", value.get("kernel_ns"))
        if isinstance(ops, int) and isinstance(ns, int | float):
            yield name, Network(ops, (ns + value.get("gap_ns", 0.0)) / 1000)
        else:
            for key, part in value.items():
                yield from _records(f"{name} {key}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            title = part.get("model", i) if isinstance(part, Mapping) else i
            yield from _records(f"{name} {title}", part)


READERS: Mapping[str, Callable[[str, str], dict[str, Network]] | None] = {
    "tests/golden/placements/*.txt": placement,
    "tests/golden/reports/*.txt": report,
    "docs/*.json": records,
    "tests/golden/costs/*.txt": None,
    "tests/library/verdicts/*.txt": None,
    "tests/api/promised.txt": None,
}
"""Where results are stored, and what reads networks in a file; nothing where it has lines about ops."""


def rows(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, ...]]:
    """A row for each network that changed, with ops and predicted microseconds, and one for each other file.

    Both map paths to texts.
    """
    found: list[tuple[str, ...]] = []
    for path in sorted({*before, *after}):
        old, new = before.get(path, ""), after.get(path, "")
        reader = next((reader for pattern, reader in READERS.items() if Path(path).match(pattern)), None)
        if old == new:
            continue
        networks = list(_networks(path, old, new, reader)) if reader else []
        found += networks or [(path, f"{_changed_lines(old, new)} lines change", "", "", "", "")]
    return found


def _networks(
    path: str, old: str, new: str, reader: Callable[[str, str], dict[str, Network]]
) -> Iterator[tuple[str, ...]]:
    was, now = (reader(path, text) if text else {} for text in (old, new))
    for name in dict.fromkeys([*was, *now]):
        a, b = was.get(name), now.get(name)
        if a != b:
            change = f"{b.us / a.us - 1:+.2%}" if a and b and a.us else "new" if b else "gone"
            yield (name, *_cells(a, b, lambda n: str(n.ops)), *_cells(a, b, lambda n: f"{n.us:.1f}"), change)


def _cells(a: Network | None, b: Network | None, spell: Callable[[Network], str]) -> tuple[str, str]:
    before, after = ("" if n is None else spell(n) for n in (a, b))
    return before, after


def _changed_lines(old: str, new: str) -> int:
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return sum(max(j - i, m - k) for what, i, j, k, m in matcher.get_opcodes() if what != "equal")


def table(of: Sequence[tuple[str, ...]]) -> str:
    """The rows in columns; what changed in nothing is said."""
    if not of:
        return "no stored result changed"
    titled = [("network", "ops before", "after", "µs before", "after", "change"), *of]
    networks = [row for row in titled if any(row[2:])]
    name, *widths = (max(len(row[i]) for row in networks) for i in range(len(titled[0])))
    lines: list[str] = []
    for first, *cells in titled:
        if any(cells[1:]):
            numbers = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
            lines.append("  ".join([first.ljust(name), *numbers]))
        else:
            lines.append(f"{first}: {cells[0]}")
    return "\n".join(lines)


def _stored() -> list[str]:
    return [str(path.relative_to(ROOT)) for pattern in READERS for path in ROOT.glob(pattern)]


def _at(revision: str) -> dict[str, str]:
    """The stored results of a revision."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", revision], cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [p for p in listed.stdout.splitlines() if any(Path(p).match(pattern) for pattern in READERS)]
    show = ["git", "show"]
    return {
        path: subprocess.run([*show, f"{revision}:{path}"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for path in paths
    }


def main() -> None:
    """Renew, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default="HEAD", metavar="REV", help="what the table compares with")
    parser.add_argument("--show", action="store_true", help="print the table alone, and renew nothing")
    given = parser.parse_args()
    for command in () if given.show else COMMANDS:
        program = [sys.executable, "-m", *command] if command[0] == "pytest" else [*command]
        if subprocess.run(program, cwd=ROOT, check=False).returncode:
            print(f"`{' '.join(command)}` has faults: not all is renewed", file=sys.stderr)
    print(table(rows(_at(given.against), {path: (ROOT / path).read_text() for path in _stored()})))


if __name__ == "__main__":
    main()
