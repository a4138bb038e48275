from pathlib import Path

import pytest

from ttstack.diagnostics import OutputError
from ttstack.report.files import write_whole


def test_replaces_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_whole(target, "old")
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file or directory"):
        write_whole(tmp_path / "none" / "a.txt", "x")


def test_failure_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def refuse(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(OutputError, match="No space left"):
        write_whole(target, "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
