"""Two dumps of compilations, and what differs between them as text."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Any

Key = tuple[str, str]
"""Case and policy."""

Compilation = Mapping[str, Any]
"""A line of a dump."""


@dataclass
class Differences:
    """The text of what differs, and how often what does."""

    lines: list[str] = field(default_factory=list[str])
    cases: int = 0
    labels: Counter[str] = field(default_factory=Counter[str])

    def summary(self) -> list[str]:
        """How many ops each fact differs in."""
        return [f"  {count:6}  {label}" for label, count in self.labels.most_common() if count]


def read(path: Path) -> dict[Key, Compilation]:
    """The compilations of a dump."""
    lines = map(json.loads, path.read_text().splitlines())
    return {(line["case"], line["policy"]): line for line in lines}


def compare(before: Mapping[Key, Compilation], after: Mapping[Key, Compilation]) -> Differences:
    """What the compilations that both have differ in; the others are named."""
    found = Differences()
    for key in dict.fromkeys([*before, *after]):
        if key not in before or key not in after:
            found.cases += 1
            found.lines.append(f"{' '.join(key)}: only {'before' if key in before else 'after'}")
        elif lines := list(_blocks(before[key]["blocks"], after[key]["blocks"], found.labels)):
            found.cases += 1
            edited = before[key]["source"] != after[key]["source"]
            found.lines += ["", f"{' '.join(key)}{', whose source differs too' if edited else ''}", *lines]
    return found


def _blocks(before: list[Any], after: list[Any], labels: Counter[str]) -> Iterator[str]:
    """Ops that are there twice are compared, the others listed with a sign."""
    old, new = ([block[0] for block in blocks] for blocks in (before, after))
    for _, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if old[i:j] == new[k:m]:
            for a, b in zip(before[i:j], after[k:m], strict=True):
                yield from _block(a, b, labels)
            continue
        labels["ops that are gone"] += j - i
        labels["ops that are new"] += m - k
        yield from (f"  - {title}" for title in old[i:j])
        yield from (f"  + {title}" for title in new[k:m])


def _block(before: list[Any], after: list[Any], labels: Counter[str]) -> Iterator[str]:
    changed = [*_facts(before[1], after[1]), *_groups(before[2], after[2])]
    if changed:
        yield f"  {after[0]}"
    width = max((len(label) for label, _, _ in changed), default=0)
    for label, old, new in changed:
        labels[_kind(label)] += 1
        yield f"    {label:{width}}  {old} -> {new}{_change(old, new)}"


def _facts(before: list[Any], after: list[Any]) -> Iterator[tuple[str, str, str]]:
    for old, new in zip_longest(before, after, fillvalue=(None, "none")):
        if old[1] != new[1]:
            yield new[0] or old[0], old[1], new[1]


def _groups(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Where a group holds the same values, the names of these do not matter."""
    for (_, old), (name, new) in zip(before.items(), after.items(), strict=True):
        if sorted(old.values()) != sorted(new.values()):
            for key in dict.fromkeys([*old, *new]):
                a, b = old.get(key, "none"), new.get(key, "none")
                if a != b:
                    yield f"{name} {key}", a, b


def _kind(label: str) -> str:
    """Without the number or the name of a tensor."""
    words = label.split()
    return " ".join([words[0], words[-1]]) if words[0] in ("operand", "result", "argument", "output") else label


def _change(old: str, new: str) -> str:
    try:
        return f" ({float(new) / float(old) - 1:+.2%})"
    except (ValueError, ZeroDivisionError):
        return ""
