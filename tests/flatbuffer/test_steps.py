"""Repeated steps in files: once, and written out as they were; files that make too much of them are refused."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.flatbuffer.conftest import make_scan
from ttstack.diagnostics import BinaryFormatError
from ttstack.flatbuffer import container, encode, load, save
from ttstack.flatbuffer._generated import binary_generated as schema
from ttstack.flatbuffer.decode import decode
from ttstack.program.fold import fold
from ttstack.program.records import Binary, Function
from ttstack.program.step_calls import MOST_CALLED, CalledStep, CallRoom, Folded


@pytest.fixture
def repeated(binary: Binary, scan: Function) -> Binary:
    return replace(binary, functions=(scan,))


def test_a_saved_step_is_there_once(repeated: Binary, tmp_path: Path, assert_equal: Any):
    save(repeated, tmp_path / "scan.ttb")
    function: Any = schema.Binary.GetRootAs(container.read(tmp_path / "scan.ttb").program).Functions(0)
    step = function.Steps(0)
    assert (function.StepsLength(), step.OperationsLength(), step.CallsLength()) == (1, 7, 4)
    assert function.OperationsLength() + 7 * 4 == len(repeated.functions[0].operations)
    assert_equal(load(tmp_path / "scan.ttb"), repeated)


def test_a_call_is_smaller_than_its_ops(repeated: Binary):
    sizes = [
        len(encode.encode(replace(repeated, functions=(make_scan(repeated.system_desc, calls),)))) for calls in (10, 20)
    ]
    assert sizes[1] - sizes[0] < 10 * 250, "bytes of a call of 7 ops, which take 900 by themselves"


def encoded(binary: Binary, monkeypatch: pytest.MonkeyPatch, change: Any) -> bytes:
    """The file's flatbuffer with other steps than its functions have."""

    def changed(function: Function, room: CallRoom) -> Folded:
        folded = fold(function, room)
        return replace(folded, steps=tuple(map(change, folded.steps)))

    with monkeypatch.context() as patch:
        patch.setattr(encode, "fold", changed)
        return encode.encode(binary)


def explode(step: CalledStep) -> CalledStep:
    return replace(step, calls=step.calls[:1] * (1 << 16))


def swell(step: CalledStep) -> CalledStep:
    """Few calls, of ops with many operands."""
    many = replace(step.operations[0], operands=(0,) * 100_000)
    return replace(step, operations=(many, *step.operations[1:]), calls=step.calls * 4)


def burden(step: CalledStep) -> CalledStep:
    many = tuple(replace(call, arguments=call.arguments * 100_000) for call in step.calls)
    return replace(step, calls=many)


@pytest.mark.parametrize("change", [explode, swell, burden])
def test_a_small_file_that_stands_for_too_much(repeated: Binary, monkeypatch: pytest.MonkeyPatch, change: Any):
    raw = encoded(repeated, monkeypatch, change)
    with pytest.raises(ValueError, match=f"expand to more than {MOST_CALLED:,} ops, tensors and operands"):
        decode(raw)


def test_functions_share_the_room(repeated: Binary, monkeypatch: pytest.MonkeyPatch):
    """Each alone has room, of which there is an eighth here."""
    most = MOST_CALLED // 8
    monkeypatch.setattr("ttstack.program.step_calls.MOST_CALLED", most)
    big = make_scan(repeated.system_desc, 500)
    (step,) = fold(big, CallRoom()).steps
    fitting = most // step.called
    assert fitting > 2
    functions = tuple(replace(big, name=f"scan{i}") for i in range(fitting + 1))
    raw = encode.encode(replace(repeated, functions=functions))
    root: Any = schema.Binary.GetRootAs(raw)
    assert [root.Functions(i).StepsLength() for i in range(len(functions))] == [1] * fitting + [0]
    assert decode(raw).functions == functions


def test_the_reason_is_part_of_the_error(repeated: Binary, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    raw = encoded(repeated, monkeypatch, lambda step: replace(step, start=99))
    with (tmp_path / "scan.ttb").open("wb") as file:
        container.write(file, raw, 0, ())
    with pytest.raises(BinaryFormatError, match="this program cannot be decoded") as caught:
        load(tmp_path / "scan.ttb")
    assert re.match("a step is called from op 99 on, [0-9]+ are before it", caught.value.diagnostic.notes[0])


def test_ops_of_calls_are_judged_like_others(repeated: Binary, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """What the third call takes is not defined then."""

    def later(step: CalledStep) -> CalledStep:
        calls = list(step.calls)
        calls[2] = replace(calls[2], arguments=tuple(i + 20 for i in calls[2].arguments))
        return replace(step, calls=tuple(calls))

    raw = encoded(repeated, monkeypatch, later)
    with (tmp_path / "scan.ttb").open("wb") as file:
        container.write(file, raw, 0, ())
    with pytest.raises(BinaryFormatError, match="this program contradicts itself") as caught:
        load(tmp_path / "scan.ttb")
    assert "function 'scan', op " in caught.value.diagnostic.notes[0]
