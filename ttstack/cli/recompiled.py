"""A program beside its model compiled again for another device."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ttstack.diagnostics import InputError
from ttstack.program.records import Function, Tensor

if TYPE_CHECKING:
    from ttstack.api import Program
    from ttstack.report.compare import Comparison
    from ttstack.report.report import Report
    from ttstack.system_desc import SystemDesc


def compare_with_recompiled(
    program: "Program", before: "Report", source: str, system: "SystemDesc", notes: tuple[str, ...] = ()
) -> "Comparison":
    """The report of the program beside that of the model compiled again.

    Raises:
        InputError: the source is another model than the program's: it takes or gives something else.
    """
    from ttstack.report.compare import compare

    again = program.recompile(source, system_desc=system)
    old, new = (
        program.function(before.function),
        next((f for f in again.binary.functions if f.name == before.function), None),
    )
    compressed = bool(program.binary.tables or again.binary.tables)
    if faults := tuple(_differences(old, new, parameters=not compressed)):
        raise InputError(
            f"'{source}' is not the model that the program was compiled from",
            notes=faults,
            hint="give the model itself; to compare two models, compile both and `ttstack compare` the programs",
        )
    return compare(before, again.cost(before.function), notes)


def _differences(old: Function, new: Function | None, *, parameters: bool) -> Iterator[str]:
    """What another model takes or gives; parameters are others too where tables were compressed."""
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
