"""An op of a program, for the functions that format its call."""

from dataclasses import dataclass, field
from typing import Any, cast

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.devices import Mesh
from ttstack.ops.types import DType, TensorType
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.spelling import Constants, data_type


@dataclass(frozen=True)
class PlacedOp:
    """The op, its layouts, and the variables of its operands."""

    device_op: DeviceOp
    variables: tuple[str | None, ...]
    """Variables of the operands by position in the definition, None for absent ones."""
    targets: tuple[str, ...]
    """Variables of the results."""
    constants: Constants
    mesh: Mesh = field(default_factory=Mesh)
    """The chips of the program."""
    on_host: frozenset[str] = frozenset()
    """Variables of tensors on the host."""
    prepared: bool = False
    """Whether its weights are prepared before all passes."""
    view: bool = False
    """Whether its result shares its operand's buffer."""

    @property
    def op(self) -> Any:
        """The definition on the operands' types, with attributes by name."""
        return self.device_op.op

    @property
    def operands(self) -> list[Name]:
        """Variables of the present operands."""
        return [Name(v) for v in self.variables if v is not None]

    def operand(self, place: str) -> Name | None:
        """Return the variable of an operand by name, or None."""
        at = list(self.op.operand_specs()).index(place)
        variable = self.variables[at] if at < len(self.variables) else None
        return None if variable is None else Name(variable)

    def at(self, place: str) -> tuple[TensorType, Layout]:
        """Return type and layout of an operand by name."""
        (position,) = cast(list[int], self.op.operand_positions(place))
        return self.op.operands[position], self.device_op.operands[position]

    @property
    def result(self) -> tuple[TensorType, Layout]:
        """Type and layout of the first result."""
        return self.op.results[0], self.device_op.results[0]

    @property
    def memory(self) -> Name:
        """The memory configuration of the first result."""
        t, layout = self.result
        return self.constants.memory(layout, t)

    @property
    def operand_dtype(self) -> DType:
        """The element format of the first operand."""
        return self.device_op.operands[0].dtype

    @property
    def dtype(self) -> Name:
        """The element format of the first result."""
        return data_type(self.device_op.results[0].dtype)

    @property
    def compute(self) -> Name:
        """The compute configuration."""
        return self.constants.compute(self.device_op)

    def cast(self, value: Expression, given: DType, number: int = 0) -> Expression:
        """Convert a value from format `given` to a result's format."""
        wanted = self.device_op.results[number].dtype
        if wanted == given:
            return value
        memory = self.constants.memory(self.device_op.results[number], self.op.results[number])
        return call("typecast", value, data_type(wanted), memory_config=memory)

    def as_result(self, position: int) -> Expression:
        """Return an operand in the format of the first result."""
        return self.as_format(position, self.device_op.results[0].dtype)

    def as_format(self, position: int, wanted: DType) -> Expression:
        """Return an operand in a format."""
        value, given = self.operands[position], self.device_op.operands[position].dtype
        return value if given == wanted else call("typecast", value, data_type(wanted))

    def unary(self, function: str, *arguments: Any, **keywords: Any) -> Expression:
        """Return a call on the first operand."""
        return call(function, self.operands[0], *arguments, **keywords, memory_config=self.memory)
