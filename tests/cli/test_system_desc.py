import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.system_desc import dump, load, presets, to_dict

Command = Callable[..., Any]


def test_list(ttstack: Command) -> None:
    out = ttstack("system-desc", "list").out
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(presets())


@pytest.mark.parametrize("name", presets())
def test_shown_text_is_the_description(ttstack: Command, name: str) -> None:
    """Which loads back: tests/system_desc/test_presets.py."""
    result = ttstack("system-desc", "show", name)
    assert result.code == 0
    assert result.out == dump(load(name))


def test_show_as_json(ttstack: Command) -> None:
    out = ttstack("system-desc", "show", "wormhole", "--no-sources", "--json").out
    assert json.loads(out) == json.loads(json.dumps(to_dict(load("wormhole"), sources=False)))


def test_check(ttstack: Command, tmp_path: Path) -> None:
    assert ttstack("system-desc", "check", "wormhole_n300").out.startswith("wormhole_n300: good: n300, 2 chips")
    bad = tmp_path / "bad.yaml"
    bad.write_text("name: x\nchips: []\nclock: 3\n")
    result = ttstack("system-desc", "check", bad)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error[TT0501]: ")
    assert "bad.yaml:3" in result.err


def test_names_of_presets_are_whole_in_a_narrow_terminal(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = ttstack("system-desc", "list").out.splitlines()
    assert len(lines) == len(presets()) + 1
    assert "…" not in "".join(lines)


def test_figures_come_before_their_sources(ttstack: Command) -> None:
    lines = ttstack("system-desc", "show", "wormhole").out.splitlines()
    assert "  grid: [8, 8]" in lines
    assert lines.index("  sources:") > lines.index("  clock:")
    assert lines[-2] == "sources:"
