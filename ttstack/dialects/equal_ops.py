"""Answers that equal ops share: while a module is worked on, one op of a name, types and attributes is asked for all.

Types and attributes are the same objects of a context where they are equal, so that it takes no reading to tell.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from ttstack.mlir import ir

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U", ir.Type, ir.Attribute)

Answers = dict[tuple[object, ...], Any]
"""What was asked so far, in one context."""

_ANSWERS: ContextVar[Answers | None] = ContextVar("answers", default=None)


@contextmanager
def shared_answers(known: Answers | None = None) -> Iterator[Answers]:
    """Keep answers until the end of the block, and with them the context that they are of; those there are already.

    Those of a block around this one, or else `known`, which has them after the block too.
    """
    if (outer := _ANSWERS.get()) is not None:
        yield outer
        return
    answers: Answers = {} if known is None else known
    token = _ANSWERS.set(answers)
    try:
        yield answers
    finally:
        _ANSWERS.reset(token)


def ask_once(ask: Callable[[S], T], subject: S, op: ir.Operation) -> T:
    """What `ask` says of a subject, which follows from the name, types, attributes and regions of its op alone."""
    if (answers := _ANSWERS.get()) is None:
        return ask(subject)
    key = (ask, *_signature(op))
    if key not in answers:
        answers[key] = ask(subject)
    return answers[key]


def ask_about(ask: Callable[[U], T], subject: U) -> T:
    """What `ask` says of a type or an attribute."""
    if (answers := _ANSWERS.get()) is None:
        return ask(subject)
    key = (ask, subject)
    if key not in answers:
        answers[key] = ask(subject)
    return answers[key]


def _signature(op: ir.Operation) -> tuple[object, ...]:
    operands, results = [v.type for v in op.operands], [r.type for r in op.results]
    inside = [part for region in op.regions for block in region.blocks for part in _block_signature(block)]
    return (op.name, *operands, None, *results, None, *_attributes(op), *inside)


def _attributes(op: ir.Operation) -> list[object]:
    attributes = op.attributes
    try:
        return [part for name in attributes for part in (name, attributes[name])]
    except TypeError:  # the bindings know no arrays of numbers with a sign, or without: such an op equals no other
        return [object()]


def _block_signature(block: ir.Block) -> Iterator[object]:
    """Yield the signatures of the ops of a block, each after the positions of its operands in the block.

    An operand from outside of the block equals no other.
    """
    positions: dict[ir.Value, object] = {value: i for i, value in enumerate(block.arguments)}
    yield tuple(value.type for value in positions)
    for op in block.operations:
        operation = op.operation
        yield tuple(positions.get(value, object()) for value in operation.operands)
        yield _signature(operation)
        for result in operation.results:
            positions[result] = len(positions)
