"""The draw: networks of each library by a seed, none of a family that the repository names, in two halves."""

import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.unseen.libraries import Entry, first_word

ROOT = Path(__file__).parents[2]
DRAWN = Path(__file__).with_name("networks.json")
HALVES = "work", "held"
COUNTS: Mapping[str, int] = {"transformers": 12, "timm": 8, "diffusers": 6, "torchvision": 4}
"""Networks of each library in each half."""
OF_A_FAMILY = 3
LISTED = 3
"""Names that are listed for each network that is drawn: it and its reserves."""
_WORD = "[A-Za-z]+[0-9]*"
_STEM = 5
"""Letters that two families must share to be one."""

Halves = dict[str, dict[str, list[str]]]
"""Names by half and library: first those that are drawn, then reserves."""


def named_words(revision: str) -> set[str]:
    """All words in the files of a revision and in their paths, in lower case, with digits after them and without."""
    listing = ["git", "-C", str(ROOT), "ls-tree", "-r", "--name-only", revision]
    paths = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    pattern = ["git", "-C", str(ROOT), "grep", "-hIoE", _WORD, revision]
    words = set(subprocess.run(pattern, check=True, capture_output=True, text=True).stdout.split())
    words |= set(re.findall(_WORD, paths))
    words = {word.lower() for word in words} | {first_word(word) for word in words}
    words |= {word.rstrip("0123456789") for word in words}
    return words | {word.removesuffix("s") for word in words}


def families_of(entries: Iterable[Entry]) -> dict[Entry, str]:
    """The family of each network: `regnet` of `regnetx_160` too, where another network begins with that word."""
    words = {entry: first_word(entry.name) for entry in entries}
    stems = sorted({word for word in words.values() if len(word) >= _STEM}, key=lambda word: (len(word), word))
    return {entry: next(filter(word.startswith, stems), word) for entry, word in words.items()}


def is_named(entry: Entry, family: str, words: set[str]) -> bool:
    """Return True if the family of a network, or the name of the module that defines it, is among the words."""
    word = re.match(_WORD, entry.name)
    names = {family, entry.family, first_word(entry.module), entry.module.replace("_", "")}
    return not words.isdisjoint(names | {word[0].lower()} if word else names)


def draw(entries: Iterable[Entry], words: set[str], seed: int) -> Halves:
    """Split unnamed networks into halves by family, in an order that the seed decides."""
    families = families_of(entries)
    unnamed = [entry for entry, family in families.items() if not is_named(entry, family, words)]
    unnamed.sort(key=lambda entry: (entry.library, entry.name))
    Random(seed).shuffle(unnamed)
    half_of: dict[str, str] = {}
    drawn, names = Counter[str](), set[str]()
    halves: Halves = {half: defaultdict(list) for half in HALVES}
    for entry in unnamed:
        family = families[entry]
        if drawn[family] == OF_A_FAMILY or entry.name in names:
            continue
        emptier = min(HALVES, key=lambda half: len(halves[half][entry.library]))
        listed = halves[half_of.setdefault(family, emptier)][entry.library]
        if len(listed) < LISTED * COUNTS[entry.library]:
            listed.append(entry.name)
            names.add(entry.name)
            drawn[family] += 1
    return {half: dict(sorted(libraries.items())) for half, libraries in halves.items()}


def write(halves: Halves, seed: int, revision: str, versions: Mapping[str, str]) -> None:
    """Store a draw next to this file."""
    record = {"seed": seed, "revision": revision, "versions": dict(versions), "counts": dict(COUNTS), **halves}
    text = json.dumps(record, indent=1)
    DRAWN.write_text(re.sub(r"\[[^\]]*\]", lambda names: _folded(names[0]), text) + "\n")


def read() -> dict[str, Any]:
    """The stored draw."""
    return json.loads(DRAWN.read_text())


def _folded(names: str) -> str:
    """A list of names on lines of six."""
    quoted = re.findall(r'"[^"]*"', names)
    lines = [", ".join(quoted[i : i + 6]) for i in range(0, len(quoted), 6)]
    return "[\n   " + ",\n   ".join(lines) + "\n  ]"
