"""`views.Matmul`: a view of an op by its definition's name, with named operands and attributes.

`make types` writes their signatures, from the definitions, into `views.pyi` next to this file.
"""

from typing import Any, ClassVar, Self

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.fields import Arity
from ttstack.ops.types import TensorType
from ttstack.support.suggestion import did_you_mean


class View:
    """One op of a module.

    Its operands are `ir.Value`s, None for absent optional ones; its attributes have the definition's types.
    """

    definition: ClassVar[type[Op]]
    op_name: ClassVar[str]
    """The op's name in MLIR."""

    def __init__(self, operation: ir.Operation) -> None:
        self.operation = operation

    @classmethod
    def of(cls, value: ir.Value | None) -> Self | None:
        """Return the view of the op that produces the value, if it is of this kind and can be moved.

        It cannot be moved if a buffer that it reads or produces is overwritten later.
        """
        op = None if value is None else pure_producer(value, cls.op_name)
        return None if op is None else cls(op)

    @property
    def results(self) -> tuple[ir.Value, ...]:
        """All results."""
        return tuple(self.operation.results)

    @property
    def first_result(self) -> ir.Value:
        """The first result."""
        return self.operation.results[0]

    @property
    def result_type(self) -> TensorType:
        """The first result's shape and element type."""
        return read_type(self.first_result.type)

    @property
    def either_order(self) -> tuple[tuple[ir.Value, ir.Value], tuple[ir.Value, ir.Value]]:
        """The two operands of a binary op, in order and swapped."""
        a, b = self.operation.operands
        return (a, b), (b, a)

    @property
    def described(self) -> Any:
        """The op's definition on its types and attributes, with derived properties such as `dims` of a sum."""
        return definition_of(self.operation)

    @property
    def is_read_once(self) -> bool:
        """True if its results have one use in total."""
        return sum(len(list(result.uses)) for result in self.operation.results) == 1

    @property
    def attributes(self) -> dict[str, Any]:
        """The present attributes, as arguments of builders."""
        return attribute_values(self.definition, self.operation)

    def __getattr__(self, name: str) -> Any:
        operands, specs = self.definition.operand_specs(), self.definition.attribute_specs()
        if name in operands:
            values, place = operands_by_place(self.definition, self.operation), list(operands).index(name)
            return values[place] if place < len(values) else None  # an optional operand at the end is absent
        if name in specs:
            return self.attributes.get(name, specs[name].default)
        of_all = [n for n in dir(View) if not n.startswith("_")]
        hint = did_you_mean(name, [*operands, *specs, *of_all]) or ", ".join(
            (f"it has {', '.join([*operands, *specs]) or 'none'}", f"as all views {', '.join(of_all)}")
        )
        raise AttributeError(f"ttir.{self.definition.mnemonic} has no operand or attribute '{name}'; {hint}")


def __getattr__(name: str) -> type[View]:
    spec = next((spec for spec in OPS.values() if spec.__name__ == name), None)
    if spec is None:
        hint = did_you_mean(name, (spec.__name__ for spec in OPS.values())) or "the page on ops lists them"
        raise AttributeError(f"there is no op {name}; {hint}")
    members = {"definition": spec, "op_name": f"ttir.{spec.mnemonic}", "__doc__": spec.__doc__, **_operands(spec)}
    found = globals()[name] = type(name, (View,), members)
    return found


def _operands(spec: type[Op]) -> dict[str, property]:
    """Return properties for operands by name; by position if none is optional."""
    operands = spec.operand_specs()
    if any(arity is not Arity.ONE for arity in operands.values()):
        return {}
    return {
        name: property(lambda view, place=place: view.operation.operands[place])
        for place, name in enumerate(operands)
        if not hasattr(View, name)
    }
