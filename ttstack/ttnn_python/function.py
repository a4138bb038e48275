"""The statements of a function, an op at a time."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ttstack.program.launched import op_numbers
from ttstack.program.records import Function, Operation
from ttstack.ttnn_python.calls import CALLS, NO_CALL, Statement
from ttstack.ttnn_python.expression import renamed, spelled
from ttstack.ttnn_python.placed import Placed
from ttstack.ttnn_python.spelling import Constants, NoCallError


@dataclass(frozen=True)
class Step:
    """What one operation of the program became."""

    operation: Operation
    number: int | None
    """That reports give it; None where it launches nothing."""
    statements: tuple[Statement, ...]
    missing: str = ""
    """Why it has no call."""

    def lines(self, indent: int) -> list[str]:
        """Its statements as text; where there is no call, the error that says so."""
        space = " " * indent
        if self.missing:
            return [f"{space}raise NotImplementedError({spelled(self.missing)})"]
        lines: list[str] = []
        for targets, expression in self.statements:
            left = f"{', '.join(targets)} = " if targets else ""
            lines.append(f"{space}{left}{spelled(expression, indent, len(left))}")
        return lines

    def renamed(self, names: Mapping[str, str]) -> "Step":
        """With other names in what it reads."""
        return replace(self, statements=tuple((targets, renamed(value, names)) for targets, value in self.statements))

    def __str__(self) -> str:
        number = "" if self.number is None else f"op {self.number}, "
        return f"{number}{self.operation.name} {self.operation.location}: {self.missing}"


@dataclass
class Steps:
    """The steps of a function, and the variables of its tensors."""

    function: Function
    variables: dict[int, str]
    constants: Constants = field(default_factory=Constants)

    @staticmethod
    def of(function: Function, given: Mapping[int, str]) -> "Steps":
        """With `given`, the variables of inputs and weights; results are numbered by the op that they come from."""
        variables, names = dict(given), Counter[str]()
        for operation in function.operations:
            for result in operation.results:
                variables[result] = f"{operation.name}_{names[operation.name]}"
                names[operation.name] += 1
        return Steps(function, variables)

    def steps(self) -> tuple[Step, ...]:
        """All operations in order."""
        numbered = zip(op_numbers(self.function), self.function.operations, strict=True)
        return tuple(self._step(operation, number) for number, operation in numbered)

    def _step(self, operation: Operation, number: int | None) -> Step:
        try:
            return Step(operation, number, tuple(self._statements(operation)))
        except NoCallError as why:
            return Step(operation, number, (), str(why))

    def _statements(self, operation: Operation) -> list[Statement]:
        if operation.name in NO_CALL:
            raise NoCallError(NO_CALL[operation.name])
        targets = tuple(self.variables[i] for i in operation.results)
        operands = tuple(None if i is None else self.variables[i] for i in operation.operands)
        placed = Placed(self.function.device_op(operation), operands, targets, self.constants)
        found = CALLS[operation.name](placed)
        return found if isinstance(found, list) else [(targets, found)]
