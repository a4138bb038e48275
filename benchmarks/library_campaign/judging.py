"""Programs judged by the library, of which some may end its process."""

from collections.abc import Sequence

from benchmarks.library_campaign.outcome import Outcome
from ttstack.diagnostics import InputError
from ttstack.library.boards import Board, board_of
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
        named = [f"{v.number} {v.name}: {v.refusal}" for v in said.refused]
        return Outcome(key, kind, "refused", "; ".join(named or [said.refusal]), ops)
    others = [f"{v.number} {v.name} gives {v.result}" for v in said.verdicts if v.result]
    return Outcome(key, kind, "differs" if others else "accepted", "; ".join(others), ops)
