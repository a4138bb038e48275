"""Whatever ends or accompanies a save, there is an old or a new program, and nothing else is left."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.saves import PLACES, found_at, kills, left_over, program, threads
from ttstack.diagnostics import OutputError
from ttstack.flatbuffer import load, safetensors, save
from ttstack.support.files import part_of

STEPS = ("open", "os.rename", "os.remove")
"""What is counted of a save; between two of them it changes no file's name."""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def weights_beside(folder: Path) -> Path:
    (path,) = folder.glob("*.weights.safetensors")
    return path


def save_and_die(path: Path, where: Any, step: int) -> bool:
    """Save in a process of its own that dies just before a step; gives whether it got to the end."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    left = step

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in STEPS and str(path.parent) in str(arguments):
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(count)
    save(program(2), path, weights=where)
    os._exit(0)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("where", PLACES)
def test_a_save_that_dies_at_any_step(tmp_path: Path, where: Any) -> None:
    path, found = tmp_path / "model.ttb", list[str]()
    for step in range(100):
        save(program(1), path, weights=where)
        ended = save_and_die(path, where, step)
        assert found_at(path) == "whole"
        found.append(load(path).pipeline)
        assert not left_over(tmp_path, where)
        if ended:
            break
    assert set(found) == {"1", "2"}
    assert (found[0], found[-1]) == ("1", "2")
    assert len(found) > (5 if where == "beside" else 3)


@pytest.mark.parametrize("where", PLACES)
def test_a_process_that_is_killed(tmp_path: Path, where: Any) -> None:
    assert kills(tmp_path, where, 2, seed=1) == {"whole": 2}
    assert not left_over(tmp_path, where)


@pytest.mark.parametrize("where", PLACES)
def test_threads_that_save_one_path(tmp_path: Path, where: Any) -> None:
    assert set(threads(tmp_path, where, 16)) == {"whole"}
    assert not left_over(tmp_path, where)


def test_what_others_still_write_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "model.ttb"
    with part_of(target) as part:
        save(program(1), target)
        assert part.path.exists()
        part.file.write(b"mine")
        part.put(target)
    assert target.read_bytes() == b"mine"
    assert names(tmp_path) == {"model.ttb"}


def test_what_dead_processes_left_goes_and_nothing_else(tmp_path: Path) -> None:
    dead, others = ".model.ttb.0123456789ab.part", {".other.ttb.0123456789ab.part", ".model.ttb.mine.part"}
    for name in (dead, *others):
        (tmp_path / name).touch()
    save(program(1), tmp_path / "model.ttb")
    assert names(tmp_path) == {"model.ttb", *others}


def test_a_program_that_was_renamed_keeps_its_weights(tmp_path: Path) -> None:
    save(program(1), tmp_path / "model.ttb", weights="beside")
    (tmp_path / "model.ttb").rename(tmp_path / "released.ttb")
    save(program(2), tmp_path / "model.ttb", weights="beside")
    save(program(3), tmp_path / "model.ttb", weights="inline")
    assert [found_at(tmp_path / name) for name in ("model.ttb", "released.ttb")] == ["whole", "whole"]
    assert len(names(tmp_path)) == 3


def test_programs_of_one_stem_have_weights_of_their_own(tmp_path: Path) -> None:
    for generation, name in enumerate(("model.ttb", "model.old", "model")):
        save(program(generation), tmp_path / name, weights="beside")
    assert [found_at(tmp_path / name) for name in ("model.ttb", "model.old", "model")] == ["whole"] * 3


@pytest.mark.parametrize("name", ["model.weights.safetensors", "model.0123456789ab.weights.safetensors"])
def test_a_weights_file_of_the_user_is_kept(tmp_path: Path, name: str) -> None:
    """Even where the program that is replaced has that text in it."""
    with (tmp_path / name).open("wb") as file:
        safetensors.write(file, [], "a model of mine")
    mine = (tmp_path / name).read_bytes()
    save(replace(program(1), pipeline=name), tmp_path / "model.ttb")
    save(program(2), tmp_path / "model.ttb", weights="beside")
    save(program(3), tmp_path / "model.ttb", weights="inline")
    assert (tmp_path / name).read_bytes() == mine
    assert names(tmp_path) == {"model.ttb", name}


@pytest.mark.parametrize("where", PLACES)
def test_what_was_loaded_stays_as_it_is(tmp_path: Path, where: Any) -> None:
    path = tmp_path / "model.ttb"
    save(program(1), path, weights=where)
    loaded = load(path)
    save(program(2), path, weights=where)
    values = loaded.weights["w"].data
    assert values is not None
    assert (values == 1).all()


def test_a_link_and_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    link = tmp_path / "model.ttb"
    link.symlink_to("store/real.ttb")
    save(program(1), link, weights="beside")
    assert link.is_symlink()
    assert [found_at(path) for path in (link, tmp_path / "store" / "real.ttb")] == ["whole", "whole"]


@pytest.mark.parametrize("where", ["auto", *PLACES])
def test_links_that_go_in_a_circle(tmp_path: Path, where: Any) -> None:
    for one, other in (("a.ttb", "b.ttb"), ("b.ttb", "a.ttb")):
        (tmp_path / one).symlink_to(other)
    with pytest.raises(OutputError, match=r"cannot write .*: Too many levels of symbolic links"):
        save(program(1), tmp_path / "a.ttb", weights=where)
    assert names(tmp_path) == {"a.ttb", "b.ttb"}


def test_nothing_is_beside_a_device() -> None:
    with pytest.raises(OutputError, match="no file can be next to it"):
        save(program(1), "/dev/null", weights="beside")
