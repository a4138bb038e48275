"""Loops as Python: a function that repeats, and functions for its condition and its body."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ttstack.device.loop_moves import JOINED
from ttstack.ops.control_flow import While
from ttstack.ops.devices import Mesh
from ttstack.program.records import Binary, Function, Tensor, TensorKind
from ttstack.program.written import written_values
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
                yield _repeats(loop, written_values(inside.loop(loop.body), loop.carried))


def _repeats(loop: While, written: Sequence[int]) -> str:
    names = [f"value_{i}" for i in range(len(loop.inputs))]
    first = loop.carried + loop.scanned
    carried, scanned, fixed = names[: loop.carried], names[loop.carried : first], names[first:]
    head = f"def {loop_function(loop.body)}({', '.join(['device', 't', *names])}):"
    doc, *body = _until(loop, carried, fixed) if loop.condition else _times(loop, carried, scanned, fixed)
    copies = [f"    {carried[i]} = ttnn.clone({carried[i]})  # the body writes to it" for i in written]
    return "\n".join([head, doc, *copies, *body])


def _until(loop: While, carried: Sequence[str], fixed: Sequence[str]) -> Iterator[str]:
    """Yield a loop that ends when the host reads that the condition is false."""
    given = ", ".join(["device", "t", *carried, *fixed])
    yield '    """Repeats while the condition holds."""'
    yield "    ran = False"
    yield f"    while truth({identifier(loop.condition)}({given})):"
    yield f"        {', '.join(carried)} = {identifier(loop.body)}({given})"
    yield "        ran = True"
    yield f"    return ({', '.join(carried)}) if ran else {_copies(carried)}"


def _times(loop: While, carried: Sequence[str], scanned: Sequence[str], fixed: Sequence[str]) -> Iterator[str]:
    """Yield a loop of known length, with slices of what it scans, and rows of what it stacks."""
    rows = [f"rows_{i}" for i in range(loop.stacked)]
    slices = [f"slice_{i}" for i in range(loop.scanned)]
    made = [f"row_{i}" for i in range(loop.stacked)]
    count = f"range({loop.trip_count})"
    yield f'    """Repeats {loop.trip_count} times."""'
    yield from (f"    {name} = []" for name in rows)
    yield f"    for {'i' if scanned else '_'} in {f'reversed({count})' if loop.reverse else count}:"
    for name, source, t in zip(slices, scanned, loop.sources, strict=True):
        begins, ends = (", ".join([at, *rest]) for at, rest in _bounds(t.shape))
        yield f"        {name} = ttnn.reshape(ttnn.slice({source}, [{begins}], [{ends}]), {list(t.shape[1:])})"
    left = ", ".join([*carried, *made])
    yield f"        {left} = {identifier(loop.body)}({', '.join(['device', 't', *carried, *slices, *fixed])})"
    for name, row, t in zip(rows, made, loop.types[loop.carried :], strict=True):
        yield f"        {name}.append(ttnn.reshape({row}, {[1, *t.shape[1:]]}))"
    order = "[::-1]" if loop.reverse else ""
    last = carried if loop.trip_count else [f"ttnn.clone({value})" for value in carried]
    yield f"    return {', '.join([*last, *(f'joined({name}{order})' for name in rows)])}"


def _bounds(shape: Sequence[int]) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
    """Return the first and the last bounds of slice `i` of the first dimension."""
    return ("i", ["0"] * (len(shape) - 1)), ("i + 1", [str(extent) for extent in shape[1:]])


def _copies(carried: Sequence[str]) -> str:
    """Return copies of values, as what comes before the loop may be freed after it."""
    copies = ", ".join(f"ttnn.clone({value})" for value in carried)
    return f"({copies})" if len(carried) > 1 else copies


JOIN = f'''def joined(rows):
    """One tensor of all rows, in groups that the library joins at once."""
    while len(rows) > 1:
        groups = [rows[i : i + {JOINED}] for i in range(0, len(rows), {JOINED})]
        rows = [ttnn.concat(group, dim=0) if len(group) > 1 else group[0] for group in groups]
    return rows[0]'''
"""What stacked rows need."""

TRUTH = '''def truth(tensor):
    """The value of a condition, for which the host waits."""
    return bool(fetch(tensor).any())'''
"""What conditions need."""
