"""Cached answers for equal ops: one op of a name, types and attributes is queried for all.

Equal types and attributes are the same objects in a context, so comparison is cheap.
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
"""Cached answers of one context."""

_ANSWERS: ContextVar[Answers | None] = ContextVar("answers", default=None)


@contextmanager
def shared_answers(known: Answers | None = None) -> Iterator[Answers]:
    """Cache answers until the end of the block, and keep their context alive.

    An enclosing block's cache is used if there is one, otherwise `known`, which persists after the block.
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
    """Return `ask(subject)`, cached by the name, types, attributes and regions of its op."""
    if (answers := _ANSWERS.get()) is None:
        return ask(subject)
    key = (ask, *op_signature(op))
    if key not in answers:
        answers[key] = ask(subject)
    return answers[key]


def ask_about(ask: Callable[[U], T], subject: U) -> T:
    """Return `ask(subject)`, cached by type or attribute."""
    if (answers := _ANSWERS.get()) is None:
        return ask(subject)
    key = (ask, subject)
    if key not in answers:
        answers[key] = ask(subject)
    return answers[key]


def op_signature(op: ir.Operation) -> tuple[object, ...]:
    """Return the name, types, attributes and regions of an op: equal ops on equal operands compute equal values."""
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
    """Yield the signatures of a block's ops, each after the positions of its operands in the block.

    An operand from outside of the block differs from all others.
    """
    positions: dict[ir.Value, object] = {value: i for i, value in enumerate(block.arguments)}
    yield tuple(value.type for value in positions)
    for op in block.operations:
        operation = op.operation
        yield tuple(positions.get(value, object()) for value in operation.operands)
        yield op_signature(operation)
        for result in operation.results:
            positions[result] = len(positions)
