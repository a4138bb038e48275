import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.system_desc import load, loads, presets, to_dict

Command = Callable[..., Any]


def test_list(ttstack: Command) -> None:
    out = ttstack("system-desc", "list").out
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(presets())


@pytest.mark.parametrize("name", presets())
def test_shown_text_loads_back(ttstack: Command, name: str) -> None:
    result = ttstack("system-desc", "show", name)
    assert result.code == 0
    assert loads(result.out) == load(name)


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
