"""What is asked of a compiled program: why an op is where it is, and what would be otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttstack.diagnostics import InputError
from ttstack.program.records import Binary, Function, Tensor

if TYPE_CHECKING:
    from ttstack.placement.explain import Alternative
    from ttstack.report.compare import Comparison
    from ttstack.report.report import Report
    from ttstack.system_desc import SystemDesc


class ProgramQuestions:
    """The part of a program that answers them."""

    binary: Binary

    def function(self, name: str | None = None) -> Function:
        """As a program has it."""
        raise NotImplementedError

    def cost(self, function: str | None = None) -> "Report":
        """As a program has it."""
        raise NotImplementedError

    def recompile(self, source: Any, inputs: Any = None, **changes: Any) -> "ProgramQuestions":
        """As a program has it."""
        raise NotImplementedError

    def explain(
        self, op: int | str, function: str | None = None, *, top: int | None = None, resolve: bool = False
    ) -> "list[Alternative]":
        """What else an op could have had, what that would cost, and what decided; what it has comes first.

        Args:
            op: Its number in reports, its location or the end of it, or its name.
            function: Which function, where there are several.
            top: How many alternatives; all where None.
            resolve: Whether all other ops are placed anew around each, as `optimal` does it.

        Raises:
            InputError: there is no such op, there are several, or it has no placement of its own.
        """
        from ttstack.placement import BUDGET_SECONDS
        from ttstack.placement.explain import explain
        from ttstack.program.find_op import find_op, without_placement
        from ttstack.program.launched import launched_positions

        found, seconds = self.function(function), BUDGET_SECONDS if resolve else 0.0
        number = find_op(found, str(op))
        at, chip = launched_positions(found)[number], self.binary.chip(found)
        try:
            return explain(found, at, chip, self.binary.system_desc, most=top, anew_seconds=seconds)
        except LookupError as error:
            raise without_placement(found, number) from error

    def compare(
        self, other: "ProgramQuestions | SystemDesc | str | Path", function: str | None = None, *, recompile: Any = None
    ) -> "Comparison":
        """Predicted times op by op beside those of another program, or of this one on another device.

        Args:
            other: A program, or a device: a preset, a path, or a description.
            function: Which function, where there are several.
            recompile: The model, to be compiled again for the device; where None, the program is taken as it is placed.

        Raises:
            TTStackError: there is no such device, the program does not fit it, or the model is another one.
        """
        from ttstack.report.compare import compare
        from ttstack.system_desc import SystemDesc, load

        before = self.cost(function)
        if isinstance(other, ProgramQuestions):
            return compare(before, other.cost(function))
        return _beside(self, before, other if isinstance(other, SystemDesc) else load(other), (), recompile)

    def what_if(
        self, changes: str | Sequence[str], function: str | None = None, *, recompile: Any = None
    ) -> "Comparison":
        """Predicted times beside those on a device that has other figures: `l1_size=2MiB,clock=1.2GHz`.

        Args:
            changes: One text or several, which add up.
            function: As in `compare`.
            recompile: As in `compare`.

        Raises:
            TTStackError: as `compare`; or a change cannot be read, or names no figure.
        """
        from ttstack.system_desc.what_if import what_if

        texts = [changes] if isinstance(changes, str) else changes
        device, followed = what_if(self.binary.system_desc, texts)
        return _beside(self, self.cost(function), device, followed, recompile)

    def overrides(self, function: str | None = None) -> dict[str, Any]:
        """What placement chose, as `overrides=` of `compile` takes it: the model gives the same program then."""
        from ttstack.placement.graph_from_program import overrides_of

        return overrides_of(self.function(function)).to_dict()

    @property
    def ir(self) -> Mapping[str, str]:
        """The text of the IR by level, where the program was compiled with `keep_ir`; else nothing."""
        return dict(self.binary.stages)


def _beside(
    program: "ProgramQuestions", before: "Report", system: "SystemDesc", notes: tuple[str, ...], source: Any = None
) -> "Comparison":
    """The report of the program beside that on another device: as it is placed, or of the model compiled again.

    Raises:
        CapacityError: the program does not fit the device as it is placed.
        InputError: the source is another model than the program's: it takes or gives something else.
    """
    from ttstack.report.compare import compare
    from ttstack.report.what_if import on_system

    if source is None:
        after, left_out = on_system(program.binary, system, before.function)
        return compare(before, after, notes + left_out)

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
