"""Shuffles passes within their stages and compares programs: `python -m benchmarks.orders [--seeds N] [MODEL ...]`.

Models are names of the zoo or paths; without any, the whole zoo. A difference is two passes of a stage whose order
matters: one of them says that it comes `before` or `after` the other, or they belong to two stages.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from random import Random
from typing import Any, Self

import numpy as np

from benchmarks.replay.facts import blocks
from ttstack.compiler import to_binary
from ttstack.dialects.equal_ops import shared_answers
from ttstack.dialects.text import print_module
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Builtin, Pass, Pipeline, digest
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.scheduling import passes_of, steps_of
from ttstack.passes.stages import Stage
from ttstack.passes.weights import Weights


@dataclass(frozen=True)
class Difference:
    """Two neighbours of a stage that lead to another program in the other order."""

    stage: Stage
    first: str
    second: str

    def __str__(self) -> str:
        return f"stage '{self.stage.title}': programs depend on the order of {self.first} and {self.second}"


@dataclass(frozen=True)
class _State:
    """A module between two passes, and the modules that passes make of it."""

    module: ir.Module
    weights: Weights
    digest: bytes
    after: dict[str, "_State"] = field(default_factory=dict[str, "_State"])

    @classmethod
    def of(cls, module: ir.Module, weights: Weights) -> Self:
        return cls(module, weights, digest(module))

    def run(self, steps: Sequence[Pass]) -> "_State":
        """The state after passes; of this one, nothing changes."""
        values = self.weights
        copied = Weights(dict(values.arrays), dict(values.fixed), dict(values.finite), dict(values._sources))
        module: Any = self.module.operation.clone()
        Pipeline(tuple(steps)).with_weights(copied).run(module)
        return _State.of(module, copied)

    @cached_property
    def used(self) -> str:
        """The text without ops that nothing uses."""
        module: Any = self.module.operation.clone()
        apply_patterns(module, [])
        return print_module(module)


class _Stage:
    """A stage with the states that orders of its passes lead through, each computed once."""

    def __init__(self, stage: Stage, start: _State) -> None:
        self.stage, self.start = stage, start
        self._states = {start.digest: start}

    def end(self, order: Sequence[type[Pass]]) -> _State:
        """The state after all passes in this order."""
        state = self.start
        for spec in order:
            if spec.name not in state.after:
                new = state.run([spec().in_stage(self.stage)])
                state.after[spec.name] = self._states.setdefault(new.digest, new)
            state = state.after[spec.name]
        return state

    def orders(self, seeds: Iterable[int]) -> list[tuple[type[Pass], ...]]:
        """The usual order, and others that fit what passes say of one another."""
        ranks = [partial(_drawn, seed) for seed in seeds]
        return list(dict.fromkeys(tuple(passes_of(self.stage, rank=rank)) for rank in (str, *ranks)))

    def swaps(self, order: Sequence[type[Pass]]) -> Iterator[tuple[Sequence[type[Pass]], Sequence[type[Pass]], int]]:
        """Orders from the usual one to this one, each with the next, and where the two neighbours are that it swaps."""
        now = list(passes_of(self.stage))
        for target, spec in enumerate(order):
            for i in range(now.index(spec), target, -1):
                swapped = [*now[: i - 1], now[i], now[i - 1], *now[i + 1 :]]
                yield now, swapped, i - 1
                now = swapped


def _drawn(seed: int, name: str) -> float:
    return Random(f"{seed} {name}").random()


def differences(
    module: ir.Module, weights: Mapping[str, np.ndarray[Any, Any]], seeds: Sequence[int]
) -> list[Difference]:
    """Shuffle the passes of each stage by seeds.

    Modules that are equal after a stage, but for ops that nothing uses, lead to equal programs; of others, programs
    are compared.
    """
    with shared_answers():
        return list(_differences(_State.of(module, Weights.of(weights)), seeds))


def _differences(start: _State, seeds: Sequence[int]) -> Iterator[Difference]:
    steps, stages = ttir_to_ttnn().passes, tuple(Stage)
    state = start.run(steps[: next(i for i, step in enumerate(steps) if step.stage)])
    for i, stage in enumerate(stages[: stages.index(Stage.PLACEMENT)]):
        walk, cleanup = _Stage(stage, state), [Builtin(pipeline=name) for name in stage.cleanup]
        usual, *shuffled = walk.orders(seeds)
        for order in shuffled:
            if _differ(walk.end(order), walk.end(usual)):
                yield from _matters(walk, order, (*cleanup, *steps_of(stages[i + 1 :])))
        state = walk.end(usual).run(cleanup) if cleanup else walk.end(usual)


def _differ(one: _State, other: _State) -> bool:
    return one is not other and one.used != other.used


def _matters(walk: _Stage, order: Sequence[type[Pass]], rest: Sequence[Pass]) -> Iterator[Difference]:
    """The first swap on the way to this order that changes the program."""
    for now, swapped, i in walk.swaps(order):
        before, after = walk.end(now), walk.end(swapped)
        if _differ(before, after) and _program(before, rest) != _program(after, rest):
            yield Difference(walk.stage, now[i].name, now[i + 1].name)
            return


def _program(state: _State, rest: Sequence[Pass]) -> Sequence[object]:
    """Ops, layouts and predicted times of the program of a module."""
    end = state.run(rest)
    return [*blocks(to_binary(end.module, end.weights.arrays, "", CompileOptions()))]


def model_of(name: str) -> Any:
    """What `import_model` reads: an exported network of the zoo, or a path."""
    if name.endswith(".mlir"):
        return name
    import torch

    model, args, kwargs = import_module(f"examples.zoo.{name}").small()
    with torch.no_grad():
        return torch.export.export(model, args, kwargs)


def main() -> None:
    """Print the differences of each model; the exit code is 1 where there are any."""
    from examples.zoo import FAMILIES

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="names of the zoo, or paths")
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="shuffled orders of each stage")
    given = parser.parse_args()
    found = False
    for name in given.models or [name for family in FAMILIES.values() for name in family]:
        with import_model(model_of(name)) as model:
            lines = dict.fromkeys(map(str, differences(model.module, model.weights, range(given.seeds))))
        found |= bool(lines)
        print(name, *(lines or ["no difference"]), sep="\n  ", flush=True)
    sys.exit(found)


if __name__ == "__main__":
    main()
