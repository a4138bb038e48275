import os
from pathlib import Path
from threading import Thread

import pytest

from ttstack.diagnostics import OutputError
from ttstack.support.files import replace_file, write_whole


def test_replaces_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_whole(target, "old")
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file or directory"):
        write_whole(tmp_path / "none" / "a.txt", "x")


def test_failure_keeps_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fill() -> None:
        with replace_file(target) as file:
            file.write(b"new")
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        fill()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OutputError, match="Is a directory"):
        write_whole(tmp_path / "a", "x")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["circle", "zero\0byte", "x" * 300])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OutputError, match="cannot write"):
        write_whole(tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["circle"]


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "text")
    reader.join()
    assert read == ["text"]
    assert pipe.is_fifo()
