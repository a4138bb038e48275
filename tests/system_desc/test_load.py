from pathlib import Path

import pytest

from ttstack.diagnostics import SystemDescError
from ttstack.system_desc import load, loads, presets

PRESET = Path(load.__code__.co_filename).parent / "presets" / "wormhole.yaml"
SMALL = "name: small\nchips:\n  - base: wormhole\n    l1: {size_bytes: 366 KiB}\n"


@pytest.mark.parametrize("name", ["wormhole", "wormhole.yaml"])
def test_a_preset_is_found_from_any_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(name).name == "n150"


def test_a_file_comes_before_the_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wormhole.yaml").write_text(SMALL.replace("base: wormhole", f"base: {PRESET}"))
    monkeypatch.chdir(tmp_path)
    assert load("wormhole.yaml").name == "small"
    assert load("wormhole").name == "n150"


def test_a_folder_of_a_presets_name_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wormhole").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load("wormhole").name == "n150"


def test_a_path_object_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(SMALL)
    assert load(path).chips[0].l1.size_bytes == 366 * 1024


def test_a_base_is_looked_for_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "small.yaml").write_text(SMALL)
    (tmp_path / "files" / "pair.yaml").write_text(
        "name: pair\nmesh_shape: [2, 1]\nchips: [{base: small.yaml}, {base: small.yaml, grid: [4, 4]}]\n"
    )
    monkeypatch.chdir(tmp_path)
    pair = load("files/pair.yaml")
    assert [chip.grid for chip in pair.chips] == [(8, 8), (4, 4)]
    assert {chip.l1.size_bytes for chip in pair.chips} == {366 * 1024}


def test_what_a_file_replaces_is_its_own_figure(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(SMALL + "    clock: {nominal_hz: 2 GHz}\n    sources: {clock: a dream}\n")
    chip, preset = load(path).chips[0], load("wormhole").chips[0]
    assert chip.source_of("l1.size_bytes") == f"set in {path}"
    assert chip.source_of("clock.nominal_hz") == "a dream"
    assert chip.source_of("l1.num_banks") == preset.source_of("l1.num_banks")
    assert chip.unsourced() == ()


def test_a_part_that_the_chip_lacks_needs_no_source() -> None:
    chip = loads("name: lone\nchips: [{base: wormhole, pcie: null, ethernet: null}]").chips[0]
    assert (chip.pcie, chip.ethernet) == (None, None)
    assert not [path for path in chip.sources if path.startswith("pcie.")]


def test_an_unknown_name_lists_the_presets() -> None:
    with pytest.raises(SystemDescError) as caught:
        load("wormhol")
    diagnostic = caught.value.diagnostic
    assert diagnostic.message == "'wormhol' is neither a file nor a preset"
    assert diagnostic.notes == (f"presets: {', '.join(presets())}",)
    assert "blackhole_p100a, blackhole_p150, " in diagnostic.notes[0]
    assert diagnostic.hint == "did you mean 'wormhole'?"


@pytest.mark.parametrize("board", ["n150", "n300", "t3000", "p100a", "p150"])
def test_boards_are_known_by_their_names(board: str) -> None:
    assert load(board).name == load(board.upper()).name == board


@pytest.mark.parametrize("name", ["", "zzz", "no/such/wormhole.yaml"])
def test_a_missing_file_is_an_error(name: str) -> None:
    with pytest.raises(SystemDescError, match="is neither a file nor a preset"):
        load(name)


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemDescError, match="is a folder"):
        load(tmp_path)


def test_a_name_that_no_file_can_have_is_an_error() -> None:
    with pytest.raises(SystemDescError, match="cannot read 'aaaa"):
        load("a" * 5000)
