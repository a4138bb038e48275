"""Layers of programs that experts wrote for the library, op by op, beside the ops of the same layer here.

Facts of tt-metal's public model code (https://github.com/tenstorrent/tt-metal), a file of `written` for each layer:
which modules of which networks it is, where the public code is, and rows in order, of ops here, ops there and why they
differ.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent / "written"
_NOTHING = "a view", "tiles already", "only where"
"""How notes of calls begin that launch nothing."""
KINDS = ("same", "faster", "worse", "other")
"""How ops here compare: the same ones; fewer or quicker; more or slower; others, whose times are not comparable."""


@dataclass(frozen=True)
class WrittenOp:
    """An op of the public code, as rows name it: `linear: its note`, `slice*3: its note`."""

    name: str
    note: str
    """Its layout, its format, or what it is for."""
    count: int
    """How often it comes in a row."""

    @property
    def launches(self) -> bool:
        """Whether the device runs something for it, as far as the code shows."""
        return not self.note.startswith(_NOTHING)


@dataclass(frozen=True)
class OwnOp:
    """An op here, as rows name it: `add`, `embedding*26`, `to_layout?` where not each of the networks has it."""

    name: str
    count: int = 1
    optional: bool = False


@dataclass(frozen=True)
class Row:
    """What stands beside each other."""

    ours: tuple["OwnOp", ...]
    """Ops here, in order."""
    theirs: tuple[WrittenOp, ...]
    kind: str
    """One of `KINDS`."""
    why: str
    extra: frozenset[str]
    """The names of those of `ours` that the public code does not need."""
    times: int
    """How often `ours` come in a row."""


@dataclass(frozen=True)
class WrittenLayer:
    """One layer, as public code has it."""

    name: str
    networks: tuple[str, ...]
    """Networks whose layer has these ops; sizes and times alone differ."""
    compiled: int
    """How many layers are compiled, 0 where a network is made whole."""
    modules: tuple[str, ...]
    """Paths of the modules whose first op begins the layer here, and whose last one ends it."""
    after: str
    """The path of a module behind whose last op the layer begins; empty where `modules` say it."""
    count: int
    """How many such layers a network has that is not made of equal ones."""
    files: tuple[str, ...]
    """Paths in tt-metal, each with the commit of the version that was read; none where no public code was found."""
    about: str
    rows: tuple[Row, ...]

    def aligned(self, names: Sequence[str]) -> list[list[range]]:
        """For each row and each of its ops here, which of the ops of a network it is.

        Raises:
            ValueError: the network's ops are not those of the rows.
        """
        at, rows = 0, list[list[range]]()
        for row in self.rows:
            rows.append([])
            for op in row.ours * row.times:
                end = at + op.count
                if tuple(names[at:end]) == (op.name,) * op.count:
                    rows[-1].append(range(at, end))
                    at = end
                elif op.optional:
                    rows[-1].append(range(at, at))
                else:
                    found = names[at] if at < len(names) else "its end"
                    raise ValueError(f"{self.name}: op {at} is {found}, where a row has {op.name}")
        if at < len(names):
            raise ValueError(f"{self.name}: no row has op {at}, {names[at]}")
        return rows


def written_layers() -> Mapping[str, WrittenLayer]:
    """All of them by name, in the order of their files."""
    found = [_layer(yaml.safe_load(path.read_text())) for path in sorted(FOLDER.glob("*.yaml"))]
    return {layer.name: layer for layer in found}


def _layer(text: Mapping[str, Any]) -> WrittenLayer:
    return WrittenLayer(
        name=text["name"],
        networks=tuple(text["networks"]),
        compiled=text.get("compiled", 0),
        modules=tuple(text["modules"]),
        after=text.get("after", ""),
        count=text.get("count", 1),
        files=tuple(text.get("files", ())),
        about=text["about"],
        rows=tuple(_row(row) for row in text["rows"]),
    )


def _row(text: Mapping[str, Any]) -> Row:
    return Row(
        ours=tuple(_own(text.get("ours", ""))),
        theirs=tuple(_ops(text.get("theirs", ()))),
        kind=text.get("kind", "same"),
        why=text.get("why", ""),
        extra=frozenset(op.name for op in _own(text.get("extra", ""))),
        times=text.get("times", 1),
    )


def _own(ops: str) -> Iterator[OwnOp]:
    """The ops of `linear, add*2, to_layout?`."""
    for name, count, optional in re.findall(r"(\w+)(?:\*(\d+))?(\?)?", ops):
        yield OwnOp(name, int(count or 1), bool(optional))


def _ops(ops: list[str | Mapping[str, str]]) -> Iterator[WrittenOp]:
    for op in ops:
        ((name, note),) = op.items() if isinstance(op, Mapping) else ((op, ""),)
        name, _, count = name.partition("*")
        yield WrittenOp(name, note, int(count or 1))
