"""Conversion of a straight line of ops to one with each repeated step only once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ttstack.program.records import Function, Operation
from ttstack.program.repeated_steps import RepeatedStep, repeated_steps
from ttstack.program.step_calls import CalledStep, CallRoom, Folded, StepCall


def fold(function: Function, room: CallRoom) -> Folded:
    """Return the function with its repeated steps once, those whose calls have room."""
    steps: list[CalledStep] = []
    apart: list[Operation] = []
    made: set[int] = set()
    at = 0
    for found in repeated_steps(function):
        step = _called(function, found)
        if not room.holds(step.called):
            continue
        steps.append(step)
        apart += function.operations[at : found.start]
        made.update(i for op in function.operations[found.start : found.stop] for i in op.results)
        at = found.stop
    tensors = tuple(t for t in function.tensors if t.id not in made) if made else function.tensors
    return Folded(tensors, (*apart, *function.operations[at:]), tuple(steps))


def _called(function: Function, found: RepeatedStep) -> CalledStep:
    calls = [function.operations[at : at + found.length] for at in found.starts]
    results = [[i for op in call for i in op.results] for call in calls]
    own = {tensor: value for value, tensor in enumerate(results[0])}
    given: dict[tuple[int | None, ...], int] = {}  # by what each call takes there

    def value(taken: tuple[int | None, ...]) -> int | None:
        first = taken[0]
        if first is None or first in own:
            return None if first is None else own[first]
        return len(own) + given.setdefault(taken, len(given))

    alike = list(zip(*calls, strict=True))
    made = [[function.tensors[i] for i in ids] for ids in results]
    operations = [_numbered(ops, own, value) for ops in alike]
    tensors = [
        replace(t, id=t.id - results[0][0], name="", alias=value(tuple(other.alias for other in others)))
        for t, *others in zip(made[0], *made, strict=True)
    ]
    varying = [(at, name) for at, ops in enumerate(alike) for name in ops[0].attributes if _varies(ops, name)]
    return CalledStep(
        start=found.start,
        operations=tuple(operations),
        tensors=tuple(tensors),
        varying=tuple(at for at, _ in varying),
        calls=tuple(
            StepCall(
                first_tensor=ids[0],
                arguments=arguments,
                addresses=tuple(function.tensors[i].address for i in ids),
                attributes=tuple((name, call[at].attributes[name]) for at, name in varying),
            )
            for ids, call, arguments in zip(results, calls, _transposed(given, len(calls)), strict=True)
        ),
    )


def _numbered(
    ops: Sequence[Operation], own: Mapping[int, int], value: Callable[[tuple[int | None, ...]], int | None]
) -> Operation:
    """Return the first of these with values instead of tensors."""
    operands = zip(*(op.operands for op in ops), strict=True)
    return replace(ops[0], operands=tuple(map(value, operands)), results=tuple(own[i] for i in ops[0].results))


def _varies(ops: Sequence[Operation], name: str) -> bool:
    return any(op.attributes[name] != ops[0].attributes[name] for op in ops)


def _transposed(given: Iterable[tuple[int | None, ...]], calls: int) -> list[tuple[int, ...]]:
    """Return by call the values that are given by argument."""
    taken = [[i for i in column if i is not None] for column in given]
    return list(zip(*taken, strict=True)) if taken else [()] * calls
