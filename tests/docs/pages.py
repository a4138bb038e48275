"""Pages as the tests read them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(
    r"(?:^<!-- example: (?P<file>\S+)(?: after: (?P<after>.*?))? -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"^    ((?:ttstack|make|pip|pytest|python) .*)$", re.MULTILINE)
_QUOTED = re.compile(r"`((?:ttstack|make) [a-z][^`\n]*)`")


@dataclass(frozen=True)
class Block:
    """Code on a page; an example says which file it belongs into, and after which line."""

    language: str
    text: str
    file: str | None
    after: str | None


def blocks(page: Path, language: str) -> list[Block]:
    return [
        Block(m["language"], m["text"], m["file"], m["after"])
        for m in _FENCE.finditer(page.read_text())
        if m["language"] == language
    ]


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return _FENCE.sub("", page.read_text())


def commands(page: Path) -> Iterator[str]:
    """Shell commands of a page, in blocks and in sentences, without comments."""
    text = prose(page)
    for line in [*_INDENTED.findall(text), *_QUOTED.findall(text)]:
        yield line.partition("  #")[0].strip()
