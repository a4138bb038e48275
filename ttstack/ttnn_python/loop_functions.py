"""Loops as Python: a function that repeats, and functions for its condition and its body."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ttstack.ops.control_flow import While
from ttstack.ops.devices import Mesh
from ttstack.program.records import Binary, Function, Tensor, TensorKind
from ttstack.report.build import build_report
from ttstack.report.report import Report
from ttstack.ttnn_python.body import Body
from ttstack.ttnn_python.function import EmittedOp, Steps
from ttstack.ttnn_python.given import Given
from ttstack.ttnn_python.spelling import Constants, identifier, loop_function


@dataclass(frozen=True)
class LoopPart:
    """The condition or the body of a loop, as a Python function."""

    binary: Binary
    function: Function
    constants: Constants
    mesh: Mesh

    @cached_property
    def report(self) -> Report:
        """The prediction for one run."""
        return build_report(self.binary, self.function.name)

    @cached_property
    def given(self) -> Given:
        """Its parameters, named by the function too, as another function can have them in another layout."""
        given = Given.of(self.function)
        named = [
            t if t.kind is TensorKind.INPUT else replace(t, name=weight_key(self.function, t)) for t in given.tensors
        ]
        return replace(given, tensors=tuple(named))

    @property
    def _variables(self) -> Mapping[int, str]:
        names = {t.id: identifier(t.name) for t in self.function.arguments.values()}
        return {**self.given.variables, **names}

    @cached_property
    def steps(self) -> tuple[EmittedOp, ...]:
        """The statements of each operation."""
        return self._steps.steps()

    @cached_property
    def _steps(self) -> Steps:
        chip = self.binary.chip(self.function)
        return Steps.of(self.function, self.given, chip, self.mesh, self._variables, self.constants)

    @cached_property
    def text(self) -> str:
        """The function: it takes the loop's values, and returns those of the next iteration, or the truth value."""
        outputs = {o.name: self._steps.variables[o.tensor] for o in self.function.outputs}
        taken = [self._variables[t.id] for t in self.function.arguments.values()]
        body = Body([step for step in self.steps if not step.before], self.report, outputs)
        return body.part(identifier(self.function.name), taken)


def weight_key(function: Function, tensor: Tensor) -> str:
    """Return the key of a loop's parameter in the table of weights; names of constants have the function's already."""
    return f"{function.name}:{tensor.name}" if tensor.kind is TensorKind.PARAMETER else tensor.name


def loop_functions(function: Function) -> Iterator[str]:
    """Yield the functions that repeat, for the loops of a function and for those inside of these."""
    for inside in reversed(function.with_loops):
        for operation in inside.operations:
            loop = inside.definition(operation) if operation.name == While.mnemonic else None
            if isinstance(loop, While):
                yield _repeats(loop)


def _repeats(loop: While) -> str:
    carried = [f"value_{i}" for i in range(loop.carried)]
    fixed = [f"value_{i}" for i in range(loop.carried, len(loop.inputs))]
    values, given = ", ".join(carried), ", ".join(["device", "t", *carried, *fixed])
    iteration = f"        {values} = {identifier(loop.body)}({given})"
    if loop.condition:
        doc, lines = "Repeats while the condition holds.", [
            "    ran = False",
            f"    while truth({identifier(loop.condition)}({given})):",
            iteration,
            "        ran = True",
            f"    return ({values}) if ran else {_copies(carried)}",
        ]
    else:
        doc = f"Repeats {loop.trip_count} times."
        last = values if loop.trip_count else _copies(carried)
        lines = [f"    for _ in range({loop.trip_count}):", iteration, f"    return {last}"]
    return "\n".join([f"def {loop_function(loop.body)}({given}):", f'    """{doc}"""', *lines])


def _copies(carried: Sequence[str]) -> str:
    """Return copies of values, as what comes before the loop may be freed after it."""
    copies = ", ".join(f"ttnn.clone({value})" for value in carried)
    return f"({copies})" if len(carried) > 1 else copies


TRUTH = '''def truth(tensor):
    """The value of a condition, for which the host waits."""
    return bool(fetch(tensor).any())'''
"""What conditions need."""
