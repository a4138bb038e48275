"""Output files that cannot be, for every option that names one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
OPTIONS = (
    ["compile", "MODEL", "-o"],
    ["compile", "MODEL", "-o", "/dev/null", "--dump-ir"],
    ["opt", "MODEL", "-o"],
    ["opt", "MODEL", "-p", "canonicalize", "--dump-ir"],
    ["explore", "MODEL", "--graphs"],
    ["explore", "MODEL", "--save-overrides"],
    ["inspect", "PROGRAM", "--overrides"],
    ["perf", "PROGRAM", "--csv"],
    ["perf", "PROGRAM", "--html"],
    ["run", "PROGRAM", "--output"],
    ["run", "PROGRAM", "--csv"],
    ["run", "PROGRAM", "--html"],
)
TARGETS = ("a.ttb", "x" * 300, "file/x", "a.ttb/x")
"""A link to itself, too long a name, and places in what is not a folder."""


@pytest.mark.parametrize("target", TARGETS, ids=["circle", "long", "in a file", "in a circle"])
@pytest.mark.parametrize("command", OPTIONS, ids=" ".join)
def test_where_nothing_can_be_written(
    ttstack: Command, program: Path, tmp_path: Path, command: list[str], target: str
) -> None:
    (tmp_path / "a.ttb").symlink_to("a.ttb")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    places = {"PROGRAM": program, "MODEL": program.with_suffix(".mlir")}
    result = ttstack(*(places.get(word, word) for word in command), tmp_path / target)
    assert result.code == 1
    assert result.err.startswith("error[TT0801]: ")
    assert sorted(tmp_path.iterdir()) == before


def test_two_outputs_have_two_names(ttstack: Command, program: Path, tmp_path: Path) -> None:
    result = ttstack("perf", program, "--html", tmp_path / "a", "--csv", tmp_path / "a")
    assert (result.code, result.out) == (1, "")
    assert f"'{tmp_path / 'a'}' would be written twice" in result.err
    assert not (tmp_path / "a").exists()


def test_a_file_is_no_folder_to_write_into(ttstack: Command, program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = ttstack("perf", program, "--html", tmp_path / "file" / "page.html")
    assert result.code == 1
    assert f"'{tmp_path / 'file'}' is a file" in result.err
    assert "mkdir" not in result.err


def test_depth_is_that_of_groups(ttstack: Command, program: Path) -> None:
    for command in ("perf", "run"):
        result = ttstack(command, program, "--depth", 3)
        assert (result.code, result.out) == (2, "")
        assert "add --group-by" in result.err
