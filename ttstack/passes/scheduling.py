"""Scheduling of the passes of stages by their declared order."""

from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from ttstack.passes.base import PASSES, Builtin, Pass
from ttstack.passes.stages import Stage
from ttstack.placement import PlacementOptions

Rank = Callable[[str], object]
"""Orders passes, by name, that have no declared order."""


def steps_of(stages: Iterable[Stage], options: PlacementOptions | None = None, *, rank: Rank = str) -> tuple[Pass, ...]:
    """Return the passes of stages, with the options of a compilation."""
    chosen = options or PlacementOptions()
    return tuple(step.in_stage(stage) for stage in stages for step in _steps(stage, chosen, rank))


def _steps(stage: Stage, options: PlacementOptions, rank: Rank) -> Iterator[Pass]:
    for spec in passes_of(stage, rank=rank):
        yield spec.from_options(options)
    for name in stage.cleanup:
        yield Builtin(pipeline=name)


def passes_of(stage: Stage, *, rank: Rank = str) -> list[type[Pass]]:
    """Sort the passes of a stage by their declared order, then by rank.

    Raises:
        ValueError: a pass names one that is in none of its stages, or the order is cyclic.
    """
    members = {name: spec for name, spec in PASSES.items() if stage in spec.stages}
    sorter = TopologicalSorter({name: set[str]() for name in members})
    for name, spec in members.items():
        _check(spec)
        sorter.add(name, *(other for other in spec.after if other in members))
        for other in spec.before:
            if other in members:
                sorter.add(other, name)
    return [members[name] for name in _sorted(stage, sorter, rank)]


def _sorted(stage: Stage, sorter: "TopologicalSorter[str]", rank: Rank) -> Iterator[str]:
    try:
        sorter.prepare()
    except CycleError as error:
        raise ValueError(
            f"passes of the stage '{stage.title}' wait for one another: {', '.join(error.args[1])}"
        ) from None
    ready: list[str] = []
    while sorter.is_active():
        ready += sorter.get_ready()
        name = min(ready, key=lambda name: (rank(name), name))
        ready.remove(name)
        sorter.done(name)
        yield name


def _check(spec: type[Pass]) -> None:
    """Check that each pass that this one names runs in one of its stages."""
    for name in (*spec.before, *spec.after):
        if name not in PASSES or not set(spec.stages) & set(PASSES[name].stages):
            raise ValueError(f"pass '{spec.name}' comes before or after '{name}', which is in none of its stages")
