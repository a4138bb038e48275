"""Expansion of repeated steps and their calls to a straight line of ops."""

from dataclasses import replace
from itertools import islice
from typing import Any

from ttstack.program.records import Operation, Tensor, result_name
from ttstack.program.step_calls import CalledStep, Folded, StepCall


def unfold(folded: Folded) -> tuple[tuple[Tensor, ...], tuple[Operation, ...]]:
    """Tensors and operations of a function, with each call written out.

    Raises:
        ValueError: a step, or one of its calls, contradicts itself or what is outside.
    """
    apart, operations = iter(folded.operations), list[Operation]()
    made: dict[int, Tensor] = {}
    for step in folded.steps:
        _check(step)
        operations += islice(apart, max(step.start - len(operations), 0))
        if len(operations) != step.start:
            raise ValueError(f"a step is called from op {step.start} on, {len(operations)} are before it")
        for call in step.calls:
            tensors, called = _written_out(step, call)
            operations += called
            made |= {tensor.id: tensor for tensor in tensors}
    count = len(folded.tensors) + sum(len(step.tensors) * len(step.calls) for step in folded.steps)
    others = iter(folded.tensors)
    tensors = [made[i] if i in made else next(others, None) for i in range(count)]
    if None in tensors or next(others, None) is not None:
        raise ValueError("two calls of steps make one tensor, or one that is not one of the function's")
    return tuple(t for t in tensors if t is not None), (*operations, *apart)


def _check(step: CalledStep) -> None:
    """Raise `ValueError` if a step's numbers do not refer to its values and operations."""
    for call in step.calls:
        given = len(call.arguments), len(call.addresses), len(call.attributes)
        wanted = len(step.calls[0].arguments), len(step.tensors), len(step.varying)
        if given != wanted:
            raise ValueError(f"a call has {given} arguments, addresses and attributes, its step {wanted}")
    own = range(len(step.tensors))
    values = range(len(own) + (len(step.calls[0].arguments) if step.calls else 0))
    taken = [*(i for op in step.operations for i in op.operands), *(t.alias for t in step.tensors)]
    wrong = [i for i in taken if i is not None and i not in values]
    wrong += [i for op in step.operations for i in op.results if i not in own]
    if wrong:
        raise ValueError(f"a step refers to value {wrong[0]}; it has {len(values)} values and produces {len(own)}")
    if any(at not in range(len(step.operations)) for at in step.varying):
        raise ValueError(f"a varying attribute refers to an op outside of the step's {len(step.operations)}")


def _written_out(step: CalledStep, call: StepCall) -> tuple[list[Tensor], list[Operation]]:
    made = [call.first_tensor + tensor.id for tensor in step.tensors]
    values = (*made, *call.arguments)
    tensors = [
        replace(t, id=i, name=result_name(i), address=address, alias=None if t.alias is None else values[t.alias])
        for t, i, address in zip(step.tensors, made, call.addresses, strict=True)
    ]
    varying: dict[int, dict[str, Any]] = {}
    for at, (name, value) in zip(step.varying, call.attributes, strict=True):
        if name not in step.operations[at].attributes:
            raise ValueError(f"the attribute '{name}' varies of an op that has it not, '{step.operations[at].name}'")
        varying.setdefault(at, {})[name] = value
    operations = [
        replace(
            op,
            operands=tuple(None if i is None else values[i] for i in op.operands),
            results=tuple(values[i] for i in op.results),
            attributes={**op.attributes, **varying[at]} if at in varying else op.attributes,
        )
        for at, op in enumerate(step.operations)
    ]
    return tensors, operations
