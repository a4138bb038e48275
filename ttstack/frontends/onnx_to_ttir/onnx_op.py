"""One ONNX op during conversion: tensors and attributes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.elements import read_elements
from ttstack.dialects.python_attributes import read_plain
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion import table
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp


@dataclass(frozen=True)
class OnnxOp(TorchOp):
    """An ONNX op among torch ops, with its converted operands."""

    def attribute(self, name: str, default: Any) -> Any:
        """Return an attribute's value, or `default` if it is absent."""
        key = f"torch.onnx.{name}"
        if key not in self.op.attributes:
            return default
        found = self.op.attributes[key]
        return read_plain(found)

    def known_values(self, i: int) -> np.ndarray[Any, Any] | None:
        """Return the values of operand `i` if it is constant."""
        made_by = defining_op(self.operands[i])
        if made_by is None:
            return None
        match made_by.name:
            case "ttir.constant":
                return read_elements(made_by.attributes["value"])
            case "ttir.full":
                t = read_type(self.operands[i].type)
                return np.full(t.shape, definition_of(made_by).attributes()["fill_value"], t.dtype.numpy)
        return None

    def integers_at(self, i: int, default: Iterable[int] = ()) -> list[int]:
        """Return the integers in operand `i`, or `default` if it is absent."""
        if self.is_none(i):
            return list(default)
        if (values := self.known_values(i)) is None:
            self.refuse(f"depends on the values of operand {i}", "use numbers known when the model is exported")
        return values.reshape(-1).tolist()


class OnnxConversionTable(table.ConversionTable[OnnxOp]):
    """The conversions of one family, by the op's name in ONNX."""

    def __init__(self) -> None:
        super().__init__("torch.onnx.")
