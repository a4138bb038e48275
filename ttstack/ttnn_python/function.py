"""The statements of a function, op by op."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ttstack.device.host_writes import WRITES_FROM_HOST
from ttstack.ops.base import OPS
from ttstack.ops.devices import Mesh
from ttstack.program.launched import loads_weight, op_numbers
from ttstack.program.records import Function, Operation
from ttstack.system_desc import ChipDesc
from ttstack.ttnn_python.calls import NO_CALL, PREPARED, PREPARED_WITH_BIAS, Statement
from ttstack.ttnn_python.expression import Name, find_integers, find_names, rename, spell, with_integers
from ttstack.ttnn_python.given import Given
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import Constants, NoCallError
from ttstack.ttnn_python.statements import statements_of


@dataclass(frozen=True)
class EmittedOp:
    """The statements of one operation of the program."""

    operation: Operation
    number: int | None
    """Its number in reports; None if it launches nothing."""
    statements: tuple[Statement, ...]
    missing: str = ""
    """The reason why it has no call."""
    prepared: tuple[Statement, ...] = ()
    """Statements that run once, before all passes."""
    before: bool = False
    """Whether all statements run once, before all passes."""

    def lines(self, indent: int) -> list[str]:
        """Return its statements as text; without a call, a statement that raises an error."""
        if self.missing:
            return [f"{' ' * indent}raise NotImplementedError({spell(self.missing)})"]
        return _lines(self.statements, indent)

    def prepared_lines(self, indent: int) -> list[str]:
        """Return the preparing statements as text."""
        return self.lines(indent) if self.before else _lines(self.prepared, indent)

    @property
    def writes_from_host(self) -> bool:
        """True if each pass transfers host data: values, or weights that are not prepared before."""
        name = self.operation.name
        return name in WRITES_FROM_HOST or (name in PREPARED and not self.prepared)

    @property
    def waits_for_host(self) -> bool:
        """True for a loop whose condition the host reads."""
        return bool(self.operation.attributes.get("condition")) and bool(OPS[self.operation.name].functions)

    @property
    def named(self) -> Iterator[str]:
        """All names in its statements, in order."""
        for targets, value in self.statements:
            yield from find_names(value)
            yield from targets

    @property
    def integers(self) -> Iterator[int]:
        """All integers in its statements, in order."""
        return (integer for _, value in self.statements for integer in find_integers(value))

    def rename(self, names: Mapping[str, str]) -> "EmittedOp":
        """Return it with renamed operands."""
        return replace(self, statements=tuple((targets, rename(value, names)) for targets, value in self.statements))

    def with_integers(self, integers: Iterator[int | Name]) -> "EmittedOp":
        """Return it with its integers replaced, in order."""
        statements = tuple((targets, with_integers(value, integers)) for targets, value in self.statements)
        return replace(self, statements=statements)

    def __str__(self) -> str:
        number = "" if self.number is None else f"op {self.number}, "
        return f"{number}{self.operation.name} {self.operation.location}: {self.missing}"


def _source(function: Function, operation: Operation) -> str:
    """Return the name of the tensor that it reads."""
    return function.tensors[operation.operands[0] or 0].name


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
    chip: ChipDesc
    mesh: Mesh = field(default_factory=Mesh)
    on_host: frozenset[str] = frozenset()
    constants: Constants = field(default_factory=Constants)

    @staticmethod
    def of(
        function: Function,
        given: Given,
        chip: ChipDesc,
        mesh: Mesh,
        named: Mapping[int, str] | None = None,
        constants: Constants | None = None,
    ) -> "Steps":
        """Create the steps; inputs and weights use the variables `named`, results are numbered by op.

        Without `named`, they use those of `given`; `constants` are those of the file.
        """
        variables, names = dict(given.variables if named is None else named), Counter[str]()
        for operation in function.operations:
            loads = loads_weight(function, operation)
            name = f"{_source(function, operation)} on the mesh" if loads else operation.name
            for result in operation.results:
                variable = f"{name}_{names[name]}"
                variables[result] = f"t[{spell(variable)}]" if loads else variable
                names[name] += 1
        on_host = (v for i, v in variables.items() if function.owners[i] in given.on_host)  # views of such, too
        return Steps(function, variables, chip, mesh, frozenset(on_host), constants or Constants())

    def steps(self) -> tuple[EmittedOp, ...]:
        """Return all operations in order."""
        numbered = zip(op_numbers(self.function), self.function.operations, strict=True)
        return tuple(self._step(operation, number) for number, operation in numbered)

    def _step(self, operation: Operation, number: int | None) -> EmittedOp:
        try:
            if operation.name in NO_CALL:
                raise NoCallError(NO_CALL[operation.name])
            tensors = (self.function.tensors[i] for i in (*operation.operands, *operation.results) if i is not None)
            if not all(tensor.type.size for tensor in tensors):
                raise NoCallError("a tensor without elements, because the library divides by their number")
            placed = self._placed(operation)
            statements = statements_of(placed, self.chip)
            prepared = (PREPARED[operation.name](placed),) if placed.prepared else ()
            return EmittedOp(operation, number, tuple(statements), "", prepared, loads_weight(self.function, operation))
        except NoCallError as why:
            return EmittedOp(operation, number, (), str(why))

    def _placed(self, operation: Operation) -> PlacedOp:
        targets = tuple(self.variables[i] for i in operation.results)
        operands = tuple(None if i is None else self.variables[i] for i in operation.operands)
        device_op, prepared = self.function.device_op(operation), self._is_prepared(operation)
        view = any(result in self.function.aliases for result in operation.results)
        return PlacedOp(device_op, operands, targets, self.constants, self.mesh, self.on_host, prepared, view)

    def _is_prepared(self, operation: Operation) -> bool:
        """Return True for weights used by one convolution.

        Those of several, or in blocks, are prepared at each call.
        """
        weight = operation.operands[1] if operation.name in PREPARED else None
        if weight not in self.function.inputs or self.variables[weight] not in self.on_host:
            return False
        if operation.name in PREPARED_WITH_BIAS and operation.operands[2:3] not in ((), (None,)):
            return False
        alone = sum(operation.operands[1:2] == o.operands[1:2] for o in self.function.operations) == 1
        return alone and not self.function.device_op(operation).operands[1].dtype.is_block
