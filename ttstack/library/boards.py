"""Boards that the library can mock, and their cluster descriptions.

A description has what the mock driver needs: architecture and harvested rows of each chip, its position, its Ethernet
links, the chips on PCIe, and the boards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ttstack.diagnostics import InputError
from ttstack.program.records import Binary, Function

_ROWS_OFF = 64
"""Disabled rows of Tensix cores as a bit mask: of the nine others, command queues take one.

Chips of n300 and t3000 have eight and dispatch from Ethernet cores; a mock device also takes a row of them, so they are
described with nine."""


@dataclass(frozen=True)
class Board:
    """A board: its chips in a mesh, and the cores of each that programs can use."""

    name: str
    arch: str
    mesh: tuple[int, int]
    grid: tuple[int, int]
    """Rows and columns."""


BOARDS = (
    Board("n150", "wormhole_b0", (1, 1), (8, 8)),
    Board("p150", "blackhole", (1, 1), (10, 13)),
    Board("n300", "wormhole_b0", (1, 2), (8, 8)),
    Board("t3000", "wormhole_b0", (2, 4), (8, 8)),
)


def board_of(binary: Binary, function: Function) -> Board:
    """Return the board of a program.

    Raises:
        InputError: no board that can be mocked has such a chip or mesh.
    """
    chip = binary.chip(function)
    mesh = binary.system_desc.mesh_shape if function.spans_mesh else (1, 1)
    for board in BOARDS:
        if (board.arch, board.mesh) == (chip.arch, mesh) and _within(chip.grid, board.grid):
            return board
    known = ", ".join(f"{b.name} ({b.arch}, {_x(b.mesh)} chips of {_x(b.grid)} cores)" for b in BOARDS)
    raise InputError(
        f"'{binary.system_desc.name}' ({chip.arch}, {_x(mesh)} chips of {_x(chip.grid)} cores) cannot be mocked",
        hint=f"compile for one of {known}",
    )


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner[0] <= outer[0] and inner[1] <= outer[1]


def _x(pair: tuple[int, int]) -> str:
    return f"{pair[0]}x{pair[1]}"


def description(board: Board) -> str:
    """Return the YAML text of the library's cluster description."""
    match board.name:
        case "n300":
            return _wormhole({0: (0, 0), 1: (1, 0)}, [((0, 1), 8, 0), ((0, 1), 9, 1)], [[0, 1]])
        case "t3000":
            return _t3000()
        case "p150":
            return _p150()
        case _:
            return _wormhole({0: (0, 0)}, [], [[0]])


Links = list[tuple[tuple[int, int], int, int]]
"""Pairs of chips with a channel of each."""


def _t3000() -> str:
    """Return a board of four n300: chips 0 to 3 have PCIe and the middle columns; 4 to 7 are second chips."""
    places = {4: (0, 0), 0: (1, 0), 2: (2, 0), 6: (3, 0), 5: (0, 1), 1: (1, 1), 3: (2, 1), 7: (3, 1)}
    joined = [((chip, chip + 4), (8, 9), (0, 1)) for chip in range(4)]
    joined += [((0, 2), (6, 7), (6, 7)), ((1, 3), (0, 1), (0, 1))]
    joined += [((0, 1), (14, 15), (14, 15)), ((2, 3), (14, 15), (14, 15))]
    joined += [((4, 5), (6, 7), (6, 7)), ((6, 7), (6, 7), (6, 7))]
    links = [(chips, a, b) for chips, lows, highs in joined for a, b in zip(lows, highs, strict=True)]
    boards = [[chip, chip + 4] for chip in range(4)]
    return _wormhole({chip: places[chip] for chip in range(8)}, links, boards, named=True)


def _wormhole(places: dict[int, tuple[int, int]], links: Links, boards: list[list[int]], *, named: bool = False) -> str:
    kind = "n150" if len(places) == 1 else "n300"
    first = 0x100018511700001 if kind == "n150" else 0x100014511700001
    return _text(
        arch=dict.fromkeys(places, "wormhole_b0"),
        chips={chip: [*place, 0, 0] for chip, place in places.items()},
        ethernet_connections=[[{"chip": a, "chan": i}, {"chip": b, "chan": j}] for (a, b), i, j in links],
        chips_with_mmio=[{chips[0]: chips[0]} for chips in boards],
        harvesting={chip: _harvest(_ROWS_OFF) for chip in places},
        boards=[[{"board_id": first + i}, {"board_type": kind}, {"chips": chips}] for i, chips in enumerate(boards)],
        **({"chip_unique_ids": {chip: 1000 + chip for chip in places}} if named else {}),
    )


def _p150() -> str:
    masks = {"eth_harvesting_mask": 288, "pcie_harvesting_mask": 2, "l2cpu_harvesting_mask": 0}
    return _text(
        arch={0: "blackhole"},
        chips={},
        ethernet_connections=[],
        chips_with_mmio=[{0: 0}],
        harvesting={0: _harvest(0) | masks},
        boards=[[{"board_id": 0x40100000001}, {"board_type": "p150"}, {"chips": [0]}]],
        chip_unique_ids={0: 1000},
        asic_locations={0: 0},
    )


def _harvest(rows: int) -> dict[str, Any]:
    names = ("dram_harvesting_mask", "eth_harvesting_mask", "pcie_harvesting_mask")
    return {"noc_translation": True, "harvest_mask": rows, **dict.fromkeys(names, 0)}


def _text(**sections: Any) -> str:
    import yaml

    return yaml.safe_dump(sections, sort_keys=False)


def names() -> Iterator[str]:
    """Return the names of all boards."""
    return (board.name for board in BOARDS)
