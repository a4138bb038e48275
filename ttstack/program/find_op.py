"""The one op that a user names."""

from ttstack.diagnostics import InputError
from ttstack.program.launched import launched_positions
from ttstack.program.locations import find_ops
from ttstack.program.records import Function
from ttstack.support.suggestion import did_you_mean
from ttstack.support.whole_number import whole_number


def find_op(function: Function, text: str) -> int:
    """Return the number of an op, from its number or a text for `ttstack.program.locations.described`.

    Raises:
        InputError: there is no such op, or several; then it lists them.
    """
    numbered = [function.operations[at] for at in launched_positions(function)]
    if (number := whole_number(text)) is not None and number < len(numbered):
        return number
    if text.isdecimal():
        raise InputError(f"there is no op {text}; '{function.name}' has {len(numbered)}, from 0 on", hint=_HINT)
    found = find_ops(text, [(op.name, op.location) for op in numbered])
    if len(found) == 1:
        return found[0]
    if found:
        notes = tuple(f"{i}: {numbered[i].name} {numbered[i].location}" for i in found)
        raise InputError(f"{len(found)} ops are '{text}'", notes=notes, hint="give the number of one")
    meant = did_you_mean(text, {op.name for op in numbered})
    raise InputError(f"no op is '{text}'{_silent(function, text)}", hint=meant or _HINT)


def without_placement(function: Function, number: int) -> InputError:
    """Return the error that an op, by its number, is none that was placed."""
    name = function.operations[launched_positions(function)[number]].name
    return InputError(
        f"op {number} is a '{name}', which has no placement of its own",
        hint="it changes a layout between two ops: name one of these",
    )


"""Maximum digits of op numbers: Python rejects thousands of digits."""
_HINT = "'ttstack perf --every-op' lists numbers, names and locations"


def _silent(function: Function, text: str) -> str:
    """Return an explanation if the text describes an operation that launches nothing."""
    ops = [(op.name, op.location) for op in function.operations]
    found = sorted({ops[i][0] for i in find_ops(text, ops)})
    return f": {', '.join(found)} launches nothing there, and has no number" if found else ""
