"""Insertion of users' passes into a pipeline."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from ttstack.diagnostics import PassOptionError
from ttstack.passes.base import Pass, Pipeline, parse_pipeline
from ttstack.support.suggestion import did_you_mean

_SIDES = ("before", "after")


def insert(
    pipeline: Pipeline, own: Mapping[str, Sequence[object]], named: Mapping[str, Callable[..., Pipeline]]
) -> Pipeline:
    """Insert passes, or texts of passes, before or after the first pass of a name, such as `after:fuse`.

    Raises:
        PassOptionError: a place is misspelled or names no pass of the pipeline (lists all such places), or a text does
        not parse.
    """
    titles = [step.title for step in pipeline.passes]
    if faults := [fault for place in own for fault in _faults(place, titles)]:
        raise PassOptionError(
            "passes cannot be put into the pipeline",
            notes=tuple(faults),
            hint=f"write after:NAME or before:NAME; the names are {', '.join(dict.fromkeys(titles))}",
        )
    places: dict[tuple[str, int], list[Pass]] = {}
    for place, given in own.items():
        side, _, name = place.partition(":")
        places.setdefault((side, titles.index(name)), []).extend(_passes(given, named))
    steps: list[Pass] = []
    for i, step in enumerate(pipeline.passes):
        steps += [*places.get(("before", i), ()), step, *places.get(("after", i), ())]
    return Pipeline(tuple(steps))


def _faults(place: str, titles: Sequence[str]) -> Iterator[str]:
    side, _, name = place.partition(":")
    if side not in _SIDES or not name:
        yield f"'{place}' is no place"
    elif name not in titles:
        yield f"'{place}': no pass of the pipeline is called '{name}'; {did_you_mean(name, titles)}".removesuffix("; ")


def _passes(given: Sequence[object], named: Mapping[str, Callable[..., Pipeline]]) -> Iterator[Pass]:
    for one in given:
        if isinstance(one, str):
            yield from parse_pipeline(one, named).passes
        elif isinstance(one, Pass):
            yield one
        else:
            kind = type(cast(object, one)).__name__
            raise PassOptionError(
                f"a {kind} is not a pass", hint="give a `ttstack.passes.base.Pass`, or the text of one"
            )
