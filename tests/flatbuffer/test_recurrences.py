"""Compiled recurrences in files: smaller, and as they were."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.repeated import MODELS, PROGRAMS
from ttstack.flatbuffer import encode, load
from ttstack.program.fold import fold
from ttstack.program.step_calls import CallRoom, Folded


@pytest.mark.parametrize("name", MODELS)
def test_a_program_is_loaded_as_it_was_saved(name: str, tmp_path: Path):
    program = PROGRAMS[name]()
    program.save(tmp_path / "model.ttb")
    assert load(tmp_path / "model.ttb").functions == program.binary.functions
    assert len(fold(program.function(), CallRoom()).steps) == MODELS[name][1]


@pytest.mark.parametrize("name", MODELS)
def test_a_file_is_as_small_as_its_steps_make_it(name: str, monkeypatch: pytest.MonkeyPatch):
    program = PROGRAMS[name]()
    binary = replace(program.binary, weights={}, stages={})
    without, folded = (len(encode.encode(b)) for b in (replace(binary, functions=()), binary))
    monkeypatch.setattr(encode, "fold", lambda f, _: Folded(f.tensors, f.operations, ()))
    flat = len(encode.encode(binary))
    saved = 1 - (folded - without) / (flat - without)
    assert saved > 0.25 if MODELS[name][1] else saved == pytest.approx(0, abs=0.01)
