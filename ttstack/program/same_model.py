"""Checks that a model is the one that a program was compiled from."""

from collections.abc import Iterator, Mapping

from ttstack.diagnostics import InputError
from ttstack.program.records import Binary, Function, Tensor


def check_same_model(source: str, function: str, old: Binary, new: Binary) -> None:
    """Compare inputs, results and parameters of one function; parameters only if no table was compressed.

    Raises:
        InputError: the new program has another signature, with all differences.
    """
    before = next(f for f in old.functions if f.name == function)
    after = next((f for f in new.functions if f.name == function), None)
    compressed = bool(old.tables or new.tables)
    if faults := tuple(_differences(before, after, parameters=not compressed)):
        raise InputError(
            f"'{source}' is not the model that the program was compiled from",
            notes=faults,
            hint="give the model itself; to compare two models, compile both and `ttstack compare` the programs",
        )


def _differences(old: Function, new: Function | None, *, parameters: bool) -> Iterator[str]:
    """Return the differences of inputs and results; parameters also differ if tables were compressed."""
    if new is None:
        yield f"it has no function '{old.name}'"
        return
    yield from _of("input", old.arguments, new.arguments)
    yield from _of("result", _results(old), _results(new))
    if parameters:
        yield from _of("parameter", old.parameters, new.parameters)


def _results(function: Function) -> dict[str, Tensor]:
    return {output.name: function.tensors[output.tensor] for output in function.outputs}


def _of(what: str, old: Mapping[str, Tensor], new: Mapping[str, Tensor]) -> Iterator[str]:
    for name in {**old, **new}:
        if name not in new:
            yield f"it has no {what} '{name}'"
        elif name not in old:
            yield f"it has the {what} '{name}', which the program does not have"
        elif old[name].type != new[name].type:
            yield f"its {what} '{name}' is {new[name].type}, and {old[name].type} in the program"
