"""What the notes of a measurement say beside its columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_CALLS = re.compile(r"\b(\d+)\s+calls\b|\bcalls\s*[=:]\s*(\d+)", re.IGNORECASE)
_BATCH = re.compile(r"\bbatch\s*=?\s*(\d+)\b", re.IGNORECASE)
_DILATION = re.compile(r"\bdilation(?:_hw)?\W*[=: ]\W*(\d+)(?:\W+(\d+))?", re.IGNORECASE)
_SHARD = re.compile(r"\bshard (\d+)x(\d+)(?: \w+)? on (\d+) cores(?: x(\d+)-(\d+) y(\d+)-(\d+))?")
_HOLDERS = re.compile(r"\bin0 (?:sharded over |cores )(\d+)")
_MOVED = re.compile(r"\bon (\d+) cores\)? to .*?\b(?:on )?(\d+) cores")
_BLOCKS = {
    "act_block_h_ntiles": "out_block_h",
    "act_block_w_ntiles": "in0_block_w",
    "out_subblock_h_ntiles": "out_subblock_h",
    "out_subblock_w_ntiles": "out_subblock_w",
    "in0_block_w": "in0_block_w",
    "(?:ds|mcast\\w*)_w": "in0_block_w",
    "out_block_h": "out_block_h",
    "out_block_w": "out_block_w",
    "out_subblock_h": "out_subblock_h",
    "out_subblock_w": "out_subblock_w",
    "q_chunk": "q_chunk_tiles",
    "k_chunk": "k_chunk_tiles",
}
"""Fields of program configurations as notes and profilers name them, and ours; chunks are given in elements."""
_CHIPS = re.compile(r"\b(\d+) (?:devices|chips)\b")
_LINKS = re.compile(r"\b(\d+) links?\b|\blinks\s*[=:]\s*(\d+)")
_STATED_BLOCK = r"\b{}(?:_size)?\s*[=: ]\s*(\d+)"


@dataclass(frozen=True)
class Shard:
    """Elements of one shard and the cores that hold one each; rows and columns of cores where those are named."""

    height: int
    width: int
    cores: int
    rows: int = 0
    columns: int = 0


@dataclass(frozen=True)
class Notes:
    """Facts in the notes; what they do not say is None, empty, or 1."""

    calls: int = 1
    """How often the op ran in what was measured: the weight of its time in sums."""
    batch: int = 1
    dilation: tuple[int, int] | None = None
    shard: Shard | None = None
    in0_cores: int | None = None
    """Cores that hold the first operand."""
    moved: tuple[int, int] | None = None
    """Cores that hold a tensor before and after it was moved."""
    blocks: dict[str, int] = field(default_factory=dict[str, int])
    """Fields of the program configuration, in tiles."""
    contradictions: tuple[str, ...] = ()
    """What they say twice, and not alike."""


def read_notes(text: str) -> Notes:
    """The facts that a text states."""
    calls, batch, dilation = _CALLS.search(text), _BATCH.search(text), _DILATION.search(text)
    holders, moved = _HOLDERS.search(text), _MOVED.search(text)
    return Notes(
        calls=max(int(calls[1] or calls[2]), 1) if calls else 1,
        batch=max(int(batch[1]), 1) if batch else 1,
        dilation=(int(dilation[1]), int(dilation[2] or dilation[1])) if dilation else None,
        shard=_shard(text),
        in0_cores=int(holders[1]) if holders else None,
        moved=(int(moved[1]), int(moved[2])) if moved else None,
        blocks=_blocks(text),
        contradictions=tuple(_contradictions(text)),
    )


def _contradictions(text: str) -> Iterator[str]:
    """Facts that the text states in several ways, as it spells them."""
    blocks = (re.compile(_STATED_BLOCK.format(name)) for name in _BLOCKS)
    for pattern in (_CALLS, _BATCH, _DILATION, _SHARD, _HOLDERS, _MOVED, _CHIPS, _LINKS, *blocks):
        said = {tuple(filter(None, found.groups())): found[0] for found in pattern.finditer(text)}
        if len(said) > 1:
            yield " and ".join(f"'{words.strip()}'" for words in said.values())


def _shard(text: str) -> Shard | None:
    found = _SHARD.search(text)
    if found is None:
        return None
    height, width, cores = int(found[1]), int(found[2]), int(found[3])
    if found[4] is None:
        return Shard(height, width, cores)
    left, right, top, bottom = (int(found[i]) for i in range(4, 8))
    return Shard(height, width, cores, bottom - top + 1, right - left + 1)


def _blocks(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, ours in _BLOCKS.items():
        value = re.search(_STATED_BLOCK.format(name), text)
        if value and int(value[1]):
            found[ours] = int(value[1]) if "chunk" not in name else -(-int(value[1]) // 32)
    return found
