"""Steps that a function calls several times: where they are found, and that folding loses nothing."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.device.layout import Grid, Layout
from ttstack.ops.types import DType, TensorType
from ttstack.program.fold import fold
from ttstack.program.records import Function, Operation, Output, Tensor, TensorKind, result_name
from ttstack.program.repeated_steps import RepeatedStep, repeated_steps
from ttstack.program.step_calls import MOST_CALLED, CallRoom, Folded
from ttstack.program.unfold import unfold

TYPES = [TensorType((32, 32), DType.BF16), TensorType((32, 64), DType.BF16)]
INPUTS = 4


class Line:
    """A straight line of ops under construction; inputs are tensors 0 to 3."""

    def __init__(self) -> None:
        self.tensors = [
            Tensor(i, f"x{i}", TYPES[0], Layout(DType.BF16), TensorKind.INPUT, 4096 * i) for i in range(INPUTS)
        ]
        self.operations: list[Operation] = []

    def apply(
        self,
        name: str,
        *operands: int | None,
        kind: int = 0,
        address: int = 0,
        alias: int | None = None,
        location: str = "m.py:1",
        **attributes: Any,
    ) -> int:
        at = len(self.tensors)
        self.tensors.append(Tensor(at, result_name(at), TYPES[kind], Layout(DType.BF16), address=address, alias=alias))
        self.operations.append(Operation(name, operands, (at,), attributes, Grid(1, 1), location=location))
        return at

    def function(self) -> Function:
        inputs = tuple(range(INPUTS))
        return Function("f", tuple(self.tensors), tuple(self.operations), inputs, (Output("y", len(self.tensors) - 1),))


def recurrence(count: int, *, location: str = "m.py:1", line: Line | None = None) -> Line:
    """A slice at another place in each step, and a state that the step before made."""
    line, state = line or Line(), 1
    for i in range(count):
        part = line.apply("slice_static", 0, begins=(32 * i, 0), location=location, address=64 * i)
        gated = line.apply("multiply", part, 2, location=location)
        state = line.apply("add", gated, state, location=location, address=64 * (i % 2))
    return line


def assert_whole(function: Function) -> Folded:
    folded = fold(function, CallRoom())
    assert unfold(folded) == (function.tensors, function.operations)
    return folded


def test_a_recurrence_is_one_step():
    function = recurrence(20).function()
    assert repeated_steps(function) == (RepeatedStep(0, 3, 20),)
    (step,) = assert_whole(function).steps
    assert [op.name for op in step.operations] == ["slice_static", "multiply", "add"]
    assert step.calls[4].arguments == (0, 2, 15), "the rows, the weight and the state"
    assert [call.attributes for call in step.calls[:2]] == [(("begins", (0, 0)),), (("begins", (32, 0)),)]


def test_two_places_are_two_steps():
    line = recurrence(5, location="m.py:1")
    recurrence(6, location="m.py:2", line=line)
    assert repeated_steps(line.function()) == (RepeatedStep(0, 3, 5), RepeatedStep(15, 3, 6))


def test_layers_of_one_name_each_are_none():
    line = Line()
    for i in range(6):
        recurrence(1, location=f"layers.{i} (m.py:1)", line=line)
    assert repeated_steps(line.function()) == ()


@pytest.mark.parametrize("count", [1, 2])
def test_few_calls_are_no_step(count: int):
    assert repeated_steps(recurrence(count).function()) == ()


def test_what_comes_before_and_after_is_left_apart():
    line = Line()
    line.apply("neg", 0)
    recurrence(4, line=line)
    line.apply("exp", len(line.tensors) - 1)
    folded = assert_whole(line.function())
    assert [op.name for op in folded.operations] == ["neg", "exp"]
    assert [step.start for step in folded.steps] == [1]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "subtract"},
        {"location": "m.py:2"},
        {"grid": Grid(2, 1)},
        {"circular_buffer_bytes": 64},
        {"attributes": {"activation": "relu"}},
    ],
)
def test_an_op_that_differs_ends_the_step(change: dict[str, Any]):
    function = recurrence(8).function()
    operations = list(function.operations)
    operations[3 * 4 + 2] = replace(operations[3 * 4 + 2], **change)
    function = replace(function, operations=tuple(operations))
    assert [step.count for step in repeated_steps(function)] == [4, 3]
    assert_whole(function)


def test_calls_that_wire_their_ops_otherwise_are_no_calls_of_it():
    line, state = Line(), 1
    for i in range(8):
        part = line.apply("exp", 0)
        gated = line.apply("multiply", part, 2)
        state = line.apply("add", state, gated if i != 4 else 3)
    function = line.function()
    assert [step.count for step in repeated_steps(function)] == [4, 3]
    assert_whole(function)


def test_the_step_begins_where_the_fewest_tensors_pass():
    line, state, other = Line(), 1, 2
    for _ in range(6):
        other = line.apply("multiply", state, other)
        line.operations.append(Operation("deallocate", (state,), (), location="m.py:1"))
        state = line.apply("neg", other)
        line.operations.append(Operation("deallocate", (other,), (), location="m.py:1"))
        other = 2
    (step,) = repeated_steps(line.function())
    assert (step.start % 4, step.length) == (0, 4)


@pytest.mark.parametrize(
    "name", [f.name for f in fields(Operation) if f.name not in ("operands", "results", "attributes")]
)
def test_calls_that_differ_in_a_field_are_not_folded(name: str):
    function = recurrence(6).function()
    operations = list(function.operations)
    operations[4] = replace(operations[4], **{name: "other"})
    assert all(step.count < 6 for step in repeated_steps(replace(function, operations=tuple(operations))))


def test_names_that_the_compiler_does_not_give_stay():
    function = recurrence(5).function()
    named = replace(function, tensors=(*function.tensors[:-1], replace(function.tensors[-1], name="last")))
    assert [step.count for step in repeated_steps(named)] == [4]
    assert_whole(named)


def test_records_that_contradict_themselves_are_left_as_they_are():
    function = recurrence(5).function()
    for tensors in (function.tensors * 2, function.tensors[:-1], function.tensors[::-1]):
        assert repeated_steps(replace(function, tensors=tensors)) == ()


def test_steps_stay_written_out_where_there_is_no_room():
    room = CallRoom()
    room.take(MOST_CALLED)
    function = recurrence(5).function()
    assert fold(function, room) == Folded(function.tensors, function.operations, ())


def broken(**change: Any) -> Folded:
    folded = fold(recurrence(5).function(), CallRoom())
    return replace(folded, steps=(replace(folded.steps[0], **change),))


def with_calls(**change: Any) -> Folded:
    (step,) = fold(recurrence(5).function(), CallRoom()).steps
    return broken(calls=(*step.calls[:-1], replace(step.calls[-1], **change)))


OPS = fold(recurrence(5).function(), CallRoom()).steps[0].operations


@pytest.mark.parametrize(
    ("folded", "why"),
    [
        (broken(start=2), "a step is called from op 2 on, 0 are before it"),
        (broken(start=-1), "a step is called from op -1 on, 0 are before it"),
        (broken(varying=(9,)), "a varying attribute refers to an op outside of the step's 3"),
        (broken(varying=(1,)), "the attribute 'begins' varies of an op that has it not, 'multiply'"),
        (broken(varying=()), "a call has .*, its step"),
        (
            broken(operations=(replace(OPS[0], operands=(99,)), *OPS[1:])),
            "a step refers to value 99; it has 6 values and produces 3",
        ),
        (broken(operations=(replace(OPS[0], operands=(-2,)), *OPS[1:])), "a step refers to value -2"),
        (broken(operations=(replace(OPS[0], results=(3,)), *OPS[1:])), "a step refers to value 3"),
        (with_calls(arguments=(0, 1)), "a call has .*, its step"),
        (with_calls(addresses=()), "a call has .*, its step"),
        (with_calls(first_tensor=4), "two calls of steps make one tensor, or one that is not one of the function's"),
        (with_calls(first_tensor=1 << 30), "two calls of steps make one tensor"),
        (with_calls(first_tensor=-9), "two calls of steps make one tensor"),
    ],
)
def test_steps_that_contradict_themselves(folded: Folded, why: str):
    with pytest.raises(ValueError, match=why):
        unfold(folded)


@st.composite
def lines(draw: st.DrawFn) -> Function:
    """Parts that are calls of drawn steps: of few kinds, so that ops repeat where they should and where they need not."""
    line = Line()
    for _ in range(draw(st.integers(1, 4))):
        ops = draw(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.integers(0, 2)), max_size=5))
        for _ in range(draw(st.integers(1, 6))):
            _call(draw, line, ops)
    return line.function()


def _call(draw: st.DrawFn, line: Line, ops: Sequence[tuple[str, int, int]]) -> None:
    for name, back, form in ops:
        taken = max(len(line.tensors) - back, 0)
        other = draw(st.sampled_from([0, 0, 0, 1, None])) if form else taken
        line.apply(
            name,
            taken,
            other,
            kind=back % 2,
            address=draw(st.integers(0, 3)) * 64,
            alias=taken if form == 2 else None,
            at=draw(st.integers(0, 2)),
        )


@given(lines())
def test_folding_loses_nothing(function: Function):
    steps = repeated_steps(function)
    assert_whole(function)
    assert all(a.stop <= b.start for a, b in pairwise(steps))
    assert steps == repeated_steps(function)
