"""The statements of an op: a call, or a sequence, nested if values have one use."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ttstack.device.sequences import call_sequence
from ttstack.device.sequences.sequence import CallSequence, Step
from ttstack.ops.base import Op
from ttstack.system_desc import ChipDesc
from ttstack.ttnn_python.calls import CALLS, Statement
from ttstack.ttnn_python.expression import Expression, Name, call, substitute
from ttstack.ttnn_python.placed_op import PlacedOp


def statements_of(o: PlacedOp, chip: ChipDesc) -> list[Statement]:
    """Return the statements that compute the op's results on such a chip.

    Raises:
        NoCallError: the library has no call for it.
    """
    sequence = call_sequence(o.device_op, chip)
    return _call(o) if sequence is None else _Nesting(o, sequence, chip).statements()


def _call(o: PlacedOp) -> list[Statement]:
    found = CALLS[o.op.mnemonic](o)
    return found if isinstance(found, list) else [(o.targets, found)]


class _Nesting:
    """The values of a sequence that are computed so far."""

    def __init__(self, o: PlacedOp, sequence: CallSequence, chip: ChipDesc) -> None:
        self._o, self._sequence, self._chip = o, sequence, chip
        given = [v for v in o.variables if v is not None]
        self._names = dict(enumerate(given)) | {i: repr(n) for i, n in sequence.scalars.items()}
        self._within: dict[str, Expression] = {}
        self._own = dict(zip(sequence.results, o.targets, strict=True))
        self._uses = Counter(v for step in sequence.steps for v in step.operands)

    def statements(self) -> list[Statement]:
        found = [statement for step in self._sequence.steps for statement in self._of(step)]
        as_given = [((name,), Name(self._names[v])) for v, name in self._own.items() if self._names[v] != name]
        kept = {name for targets, _ in found for name in targets} - {*self._o.targets}
        return [*found, *as_given, *(((), call("deallocate", Name(name))) for name in sorted(kept))]

    def _of(self, step: Step) -> Iterator[Statement]:
        targets = tuple(self._own.get(v) or f"{self._name}_{v}" for v in step.results)
        variables = tuple(_by_place(step.device_op.op, [self._names[v] for v in step.operands]))
        placed = replace(self._o, device_op=step.device_op, variables=variables, targets=targets)
        self._names |= dict(zip(step.results, targets, strict=True))
        statements = _call(placed) if step.own else statements_of(placed, self._chip)
        found = [(names, substitute(value, self._within)) for names, value in statements]
        if len(found) == 1 and self._is_nested(step):
            self._within[targets[0]] = found[0][1]
        else:
            yield from found

    def _is_nested(self, step: Step) -> bool:
        return len(step.results) == 1 and step.results[0] not in self._own and self._uses[step.results[0]] == 1

    @property
    def _name(self) -> str:
        return self._o.targets[0] if self._o.targets else self._o.op.mnemonic


def _by_place(op: Op, variables: Sequence[str]) -> Iterator[str | None]:
    """Yield variables by position in the definition, None for absent operands."""
    taken = iter(variables)
    for place in op.operand_specs():
        value = getattr(op, place)
        if isinstance(value, tuple):
            yield from (next(taken) for _ in value)  # pyright: ignore[reportUnknownVariableType]
        else:
            yield None if value is None else next(taken)
