"""Sequential loops whose bodies write to tensors at computed positions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ttstack.mlir import arith, ir, scf
from ttstack.passes.ttir_to_linalg.scalars import Scalar
from ttstack.passes.ttir_to_linalg.tensors import Body, Dense

State = Dense | Scalar
Step = Callable[[list[ir.Value], list[State]], Sequence[State]]
"""Takes indices of type `index` and the current state; returns the new state."""


def in_order(step: Step, shape: Sequence[int], states: Sequence[State]) -> list[State]:
    """Run `step` at every index of a shape, row-major, and return the final state."""
    return _nest(step, list(shape), [], list(states))


def _nest(step: Step, extents: list[int], at: list[ir.Value], states: list[State]) -> list[State]:
    if not extents:
        return list(step(at, states))
    zero, end, one = (arith.constant(ir.IndexType.get(), n) for n in (0, extents[0], 1))
    loop = scf.ForOp(zero, end, one, [s.value for s in states])
    with ir.InsertionPoint(loop.body):
        inside = _anew(states, loop.inner_iter_args)
        after = _nest(step, extents[1:], [*at, loop.induction_variable], inside)
        scf.YieldOp([s.value for s in after])
    return _anew(states, loop.results)


def _anew(states: Sequence[State], values: Sequence[ir.Value]) -> list[State]:
    return [replace(s, value=v) for s, v in zip(states, values, strict=True)]


def write(
    target: Dense,
    source: Dense,
    place: Callable[[list[ir.Value]], list[ir.Value]],
    combine: Body = lambda _, new: new,
) -> Dense:
    """Write every element of the source to its `place` in the target, as `combine(present, element)`.

    Later elements see the results of earlier ones; all positions must be in range.
    """

    def step(at: list[ir.Value], states: list[State]) -> list[State]:
        (so_far,) = states
        assert isinstance(so_far, Dense)
        there = place(at)
        return [so_far.replace_element(combine(so_far.at(there), source.at(at)), there)]

    (found,) = in_order(step, source.shape, [target])
    assert isinstance(found, Dense)
    return found
