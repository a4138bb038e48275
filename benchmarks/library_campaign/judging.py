"""Programs judged by the library, of which some may end its process."""

from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.library_campaign.outcome import Outcome
from ttstack.diagnostics import InputError
from ttstack.library.boards import Board, board_of
from ttstack.library.factories import factory
from ttstack.library.run import find_interpreter, judge
from ttstack.library.verdict import Judgement
from ttstack.ttnn_python import Emission


def judgements(emissions: Sequence[Emission]) -> list[Judgement | str]:
    """What the library made of each program, in order; of one that ended its process, what it said."""
    found: dict[int, Judgement | str] = {}
    for board, numbers in _by_board(emissions).items():
        left = numbers
        while left:
            said = _some([emissions[i] for i in left], board)
            found |= dict(zip(left, said, strict=False))
            left = left[len(said) :]
    return [found[i] for i in range(len(emissions))]


def _some(emissions: Sequence[Emission], board: Board) -> list[Judgement | str]:
    """The judgements of the first ones, up to one that ended the process."""
    said: list[Judgement | str] = []
    try:
        said.extend(judge(emissions, board, find_interpreter(None)))
    except InputError as error:
        said.append("; ".join((error.diagnostic.message, *error.diagnostic.notes)))
    return said


def _by_board(emissions: Sequence[Emission]) -> dict[Board, list[int]]:
    numbers: dict[Board, list[int]] = {}
    for i, emission in enumerate(emissions):
        numbers.setdefault(board_of(emission.binary, emission.function), []).append(i)
    return numbers


def outcome(key: str, kind: str, emission: Emission, said: Judgement | str) -> Outcome:
    """As a campaign counts it."""
    ops = len(emission.report.ops)
    if isinstance(said, str):
        return Outcome(key, kind, "failed", said, ops)
    if said.refused or said.refusal:
        return Outcome(key, kind, "refused", "; ".join([*_refusals(said)] or [said.refusal]), ops)
    others = [f"{v.number} {v.name} gives {v.result}" for v in said.verdicts if v.result]
    result, chosen = "differs" if others else "accepted", list(_factories(emission, said))
    return Outcome(
        key,
        kind,
        result,
        "; ".join(others),
        ops,
        same_buffers=sum(v.same_buffers for v in said.verdicts if v.number >= 0),
        other_buffers=dict(Counter(v.name for v in said.verdicts if v.number >= 0 and not v.same_buffers)),
        factories=len(chosen),
        same_factories=sum(ours == theirs for ours, theirs in chosen),
        l1_here=max((v.l1_bytes for v in said.verdicts), default=0),
        l1_there=max((launch.peak_bytes for v in said.verdicts for launch in v.launches), default=0),
    )


def _refusals(said: Judgement) -> Iterator[str]:
    """The first refusal of each kind of op, and how many more there are."""
    counts = Counter(v.name for v in said.refused)
    for name, first in {v.name: v for v in reversed(said.refused)}.items():
        more = f" and {counts[name] - 1} more" if counts[name] > 1 else ""
        yield f"{first.number} {name}{more}: {first.refusal}"


def _factories(emission: Emission, said: Judgement) -> Iterator[tuple[str, str]]:
    """The program factories that ops ask for, and those that they get."""
    launched = {v.number: v.main for v in said.verdicts}
    for step in emission.steps:
        main = None if step.number is None else launched.get(step.number)
        ours = main and factory(emission.function.device_op(step.operation))
        if main and ours:
            yield ours, main.kernel
