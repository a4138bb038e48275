"""Releases of ttnn: how they are read, which one a day has, and the figures that a chip has with each."""

import re
from pathlib import Path
from typing import Any

import pytest

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc import ChipDesc, SystemDesc, from_dict, load, loads, presets, to_dict
from ttstack.system_desc.at_release import at_release, figure_changes
from ttstack.system_desc.releases import NEWEST, OLDEST, RELEASES, extrapolation, order, release_of

CHIP = load("wormhole").chips[0]
EXP = "vector.cycles_per_tile.exp"
NOW = CHIP.vector.cycles_per_tile["exp"]


def chip_of(name: str, ttnn: str) -> ChipDesc:
    return at_release(load(name), ttnn).chips[0]


def figures_of(desc: SystemDesc) -> list[Any]:
    """All but where figures are from."""
    bare = {"sources": {}, "revisions": ()}
    return [chip.model_copy(update=bare) for chip in desc.chips]


def test_releases_are_in_order_and_dated() -> None:
    assert [r.version for r in RELEASES] == sorted((r.version for r in RELEASES), key=order)
    assert [r.day for r in RELEASES] == sorted(r.day for r in RELEASES)
    assert all(re.fullmatch(r"20\d\d-\d\d(-\d\d)?", r.day) and r.source for r in RELEASES)


@pytest.mark.parametrize(
    ("day", "release"),
    [
        ("2024-09-13", "0.52"),
        ("2024-12", "0.54"),
        ("2025-06", "0.59"),
        ("2026-08-18", "0.77"),
        ("2026-08-19", "0.78"),
        ("2020", OLDEST),
        ("2030-01", NEWEST),
        ("", NEWEST),
    ],
)
def test_a_day_has_the_first_release_from_then_on(day: str, release: str) -> None:
    assert release_of(day) == release


def test_versions_are_ordered_as_numbers() -> None:
    assert order("0.9") < order("0.53") < order("0.53.1") < order("0.81") < order("1.0")


@pytest.mark.parametrize(
    "text", ["banana", "", "75", "0.8l", "v0.81", "0.81.1.2", "0.-1", "0.81 ", "\u0660.\u0668", "0.1234"]
)
def test_what_is_not_a_version_is_refused(text: str) -> None:
    with pytest.raises(SystemDescError, match=r"is not a version of ttnn: write it as 0\.81 or 0\.81\.1"):
        at_release(load("wormhole"), text)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("0.8", "0.8 may be 0.8 or 0.80: write the version of ttnn in quotes"),
        ("latest", "'latest' is not a version of ttnn"),
        ("[0, 81]", r"\[0, 81\] is not a version of ttnn"),
        ("81", "81 is not a version of ttnn"),
    ],
)
def test_a_version_in_a_file_is_checked_with_its_line(written: str, why: str) -> None:
    with pytest.raises(SystemDescError, match=f"mine:4: chips.0..ttnn: {why}"):
        loads(f"name: mine\nchips:\n  - base: wormhole\n    ttnn: {written}\n", origin="mine")


def test_a_number_with_two_decimals_is_a_version() -> None:
    assert loads("name: mine\nchips:\n  - base: wormhole\n    ttnn: 0.54\n").chips[0].ttnn == "0.54"


@pytest.mark.parametrize(
    ("ttnn", "cycles"), [("0.20", 2061), ("0.54", 2061), ("0.64", 1344), ("0.70.1", 1344), ("0.71", NOW), ("0.99", NOW)]
)
def test_a_figure_is_that_of_the_release(ttnn: str, cycles: float) -> None:
    """As tt-metal's pull requests 29495 and 44965 have it of exp on Wormhole."""
    found = chip_of("wormhole", ttnn)
    assert (found.ttnn, found.vector.cycles_per_tile["exp"]) == (ttnn, cycles)


def test_sections_come_and_go() -> None:
    older = chip_of("wormhole", "0.54")
    assert older.movement.tile_padding is not None
    assert older.movement.tile_padding.tile_cycles == 6900
    assert chip_of("wormhole", "0.56").movement.tile_padding is None
    assert older.source_of(EXP) != CHIP.source_of(EXP)


@pytest.mark.parametrize("name", presets())
@pytest.mark.parametrize("ttnn", ["0.40", "0.54", "0.63", "0.70"])
def test_the_way_back_gives_the_same_figures(name: str, ttnn: str) -> None:
    desc = load(name)
    there = at_release(desc, ttnn)
    assert figures_of(at_release(there, desc.chips[0].ttnn)) == figures_of(desc)
    assert figures_of(at_release(there, "0.66")) == figures_of(at_release(desc, "0.66"))
    assert from_dict(to_dict(there)) == there


def test_the_same_release_is_the_same_system() -> None:
    assert at_release(load("wormhole"), NEWEST) == load("wormhole")
    assert list(figure_changes(CHIP, CHIP)) == []


def test_changes_name_figures_releases_and_sources() -> None:
    (change,) = (c for c in figure_changes(chip_of("wormhole", "0.66"), CHIP) if c.figure == EXP)
    assert change == (EXP, 1344, NOW, "0.71", "tt-metal PR 29495, Wormhole in bfloat16; until tt-metal PR 44965")
    back = {c.figure: (c.before, c.after) for c in figure_changes(CHIP, chip_of("wormhole", "0.66"))}
    assert back[EXP] == (NOW, 1344)


def test_the_preset_of_2024_is_the_release() -> None:
    assert figures_of(load("wormhole_2024")) == figures_of(at_release(load("wormhole"), "0.54"))


def test_a_release_is_inherited_and_own_figures_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "name: mine\nchips:\n  - base: wormhole_2024\n    vector: {cycles_per_tile: {exp: 777}}\n    clock: {nominal_hz: 2 GHz}\n"
    )
    mine = load(tmp_path / "mine.yaml")
    assert (mine.chips[0].ttnn, mine.chips[0].vector.cycles_per_tile["gelu"]) == ("0.54", 1820)
    for ttnn in ("0.54", "0.66", "0.81"):
        assert at_release(mine, ttnn).chips[0].vector.cycles_per_tile["exp"] == 777
    assert at_release(mine, "0.81").chips[0].vector.cycles_per_tile["gelu"] == CHIP.vector.cycles_per_tile["gelu"]
    (tmp_path / "newer.yaml").write_text('name: newer\nchips:\n  - base: mine.yaml\n    ttnn: "0.81"\n')
    assert load(tmp_path / "newer.yaml").chips[0].vector.cycles_per_tile["gelu"] == CHIP.vector.cycles_per_tile["gelu"]


def rows(*texts: str) -> str:
    listed = "\n".join(f"      - {{{text}, source: here}}" for text in texts)
    return f"name: mine\nchips:\n  - base: wormhole\n    revisions:\n{listed}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (rows('figure: l1.no_such, before: "0.60", value: 1'), "mine:5: .*figure: 'l1.no_such' names no field"),
        (rows("figure: movement.head_tiles, value: 1"), "needs `since`, `before`, or both"),
        (
            rows('figure: movement.head_tiles, since: "0.70", before: "0.60", value: 1'),
            "before: 0.60 is not after since",
        ),
        (rows('figure: movement.head_tiles, since: "0.60", value: 1'), "of ttnn 0.81 is the chip's own figure"),
        (
            rows(
                'figure: movement.head_tiles, before: "0.60", value: 1',
                'figure: movement.head_tiles, since: "0.59", before: "0.70", value: 2',
            ),
            "mine:6: .*movement.head_tiles has another value in some of these releases already",
        ),
        (rows('figure: movement.head_tiles, before: "x", value: 1'), "'x' is not a version of ttnn"),
        (
            rows('figure: movement.head_tiles, before: "0.60", value: -1'),
            "revisions.*value: a figure is a number of at least 0",
        ),
        (
            rows('figure: movement.head_tiles, before: "0.60", val: 1'),
            "unknown field; the fields here are figure, since",
        ),
        (rows("figure: movement.head_tiles, before: 0.6, value: 1"), "0.6 may be 0.6 or 0.60"),
    ],
)
def test_faulty_rows_are_refused(text: str, why: str) -> None:
    with pytest.raises(SystemDescError, match=why):
        loads(text, origin="mine")


def test_a_figure_that_the_chip_cannot_have_is_refused_where_it_is_used() -> None:
    mine = loads(rows('figure: movement.head_tiles, before: "0.60", value: 1.5'))
    with pytest.raises(SystemDescError, match=r"figures of ttnn 0\.59 do not fit the chip") as caught:
        at_release(mine, "0.59")
    assert "movement.head_tiles" in caught.value.diagnostic.notes[0]


def test_a_row_may_have_a_unit() -> None:
    mine = loads(rows('figure: clock.nominal_hz, before: "0.60", value: 0.5 GHz'))
    assert at_release(mine, "0.59").chips[0].clock_hz == 0.5e9


@pytest.mark.parametrize(
    ("ttnn", "why"),
    [("0.40", "older than 0.51"), ("0.99", "newer than 0.81"), ("0.81.7", ""), ("0.51", ""), ("0.6", "older")],
)
def test_what_measurements_do_not_cover_is_extrapolated(ttnn: str, why: str) -> None:
    assert extrapolation(ttnn).startswith(why)
    assert bool(extrapolation(ttnn)) == bool(why)


@pytest.mark.parametrize(("month", "ttnn"), [("2024-12", "0.54"), ("2026-08", NEWEST), ("", NEWEST)])
def test_a_description_that_named_a_month_still_loads(month: str, ttnn: str) -> None:
    values = to_dict(load("wormhole"))
    (chip,) = values["chips"]
    del chip["ttnn"], chip["revisions"], chip["sources"]["ttnn"]
    chip["library"] = chip["sources"]["library"] = month
    if not month:
        del chip["sources"]["library"]
    assert from_dict(values).chips[0].ttnn == ttnn


def test_rows_of_a_file_add_to_those_of_its_base() -> None:
    mine = loads(rows('figure: movement.head_tiles, before: "0.70", value: 2'))
    assert at_release(mine, "0.66").chips[0].movement.head_tiles == 2
    assert at_release(mine, "0.54").chips[0].movement.head_tiles == 2
    assert at_release(mine, "0.54").chips[0].movement.pages_in_flight == 1
