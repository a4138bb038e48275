"""The statements of a function, an op at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ttstack.program.launched import op_numbers
from ttstack.program.records import Function, Operation
from ttstack.ttnn_python.calls import CALLS, NO_CALL, PREPARED, WRITES_FROM_HOST, Statement
from ttstack.ttnn_python.expression import rename, spell
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import Constants, NoCallError


@dataclass(frozen=True)
class EmittedOp:
    """What one operation of the program became."""

    operation: Operation
    number: int | None
    """That reports give it; None where it launches nothing."""
    statements: tuple[Statement, ...]
    missing: str = ""
    """Why it has no call."""
    prepared: tuple[Statement, ...] = ()
    """What is done once, before all passes."""

    def lines(self, indent: int) -> list[str]:
        """Its statements as text; where there is no call, the error that says so."""
        if self.missing:
            return [f"{' ' * indent}raise NotImplementedError({spell(self.missing)})"]
        return _lines(self.statements, indent)

    def prepared_lines(self, indent: int) -> list[str]:
        """What is done once, as text."""
        return _lines(self.prepared, indent)

    @property
    def writes_from_host(self) -> bool:
        """Whether each pass writes what the host holds: values, or weights that are not prepared before."""
        name = self.operation.name
        return name in WRITES_FROM_HOST or (name in PREPARED and not self.prepared)

    def rename(self, names: Mapping[str, str]) -> "EmittedOp":
        """With other names in what it reads."""
        return replace(self, statements=tuple((targets, rename(value, names)) for targets, value in self.statements))

    def __str__(self) -> str:
        number = "" if self.number is None else f"op {self.number}, "
        return f"{number}{self.operation.name} {self.operation.location}: {self.missing}"


def _lines(statements: Sequence[Statement], indent: int) -> list[str]:
    lines: list[str] = []
    for targets, expression in statements:
        left = f"{', '.join(targets)} = " if targets else ""
        lines.append(f"{' ' * indent}{left}{spell(expression, indent, len(left))}")
    return lines


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

    def steps(self) -> tuple[EmittedOp, ...]:
        """All operations in order."""
        numbered = zip(op_numbers(self.function), self.function.operations, strict=True)
        return tuple(self._step(operation, number) for number, operation in numbered)

    def _step(self, operation: Operation, number: int | None) -> EmittedOp:
        try:
            if operation.name in NO_CALL:
                raise NoCallError(NO_CALL[operation.name])
            placed = self._placed(operation)
            found = CALLS[operation.name](placed)
            statements = found if isinstance(found, list) else [(placed.targets, found)]
            return EmittedOp(operation, number, tuple(statements), prepared=tuple(self._prepared(operation, placed)))
        except NoCallError as why:
            return EmittedOp(operation, number, (), str(why))

    def _placed(self, operation: Operation) -> PlacedOp:
        targets = tuple(self.variables[i] for i in operation.results)
        operands = tuple(None if i is None else self.variables[i] for i in operation.operands)
        return PlacedOp(self.function.device_op(operation), operands, targets, self.constants)

    def _prepared(self, operation: Operation, placed: PlacedOp) -> Iterator[Statement]:
        """Weights that one convolution has need of; those of several, or in blocks, are prepared anew at each call."""
        alone = sum(operation.operands[1:2] == o.operands[1:2] for o in self.function.operations) == 1
        if operation.name in PREPARED and alone and not placed.at("weight")[1].dtype.is_block:
            yield PREPARED[operation.name](placed)
