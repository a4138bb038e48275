"""A TOSA op during conversion: operands as TTIR values, shapes and attributes as Python values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.dialects.attributes import read_attribute
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.python_attributes import read_plain
from ttstack.dialects.types import read_type
from ttstack.frontends import conversion
from ttstack.frontends.stablehlo_to_ttir.operands import known_elements
from ttstack.mlir import ir
from ttstack.ops.attributes import Spelling
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class TosaOp(conversion.SourceOp):
    """A TOSA op with its converted operands."""

    @cached_property
    def types(self) -> tuple[TensorType | None, ...]:
        """The types of all operands; None for a shape."""
        return tuple(self.read(value.type) for value in self.operands)

    def type(self, i: int) -> TensorType:
        """Return the type of operand `i`, a tensor."""
        return read_type(self.tensor(i).type)

    def integer(self, name: str) -> int:
        """Return an integer attribute."""
        return int(read_plain(self.op.attributes[name]))

    def flag(self, name: str) -> bool:
        """Return a bool attribute; False if absent."""
        return name in self.op.attributes and bool(read_plain(self.op.attributes[name]))

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an array attribute."""
        return read_attribute(name, Spelling("dense"), self.op.attributes[name])

    def word(self, name: str, default: str) -> str:
        """Return an enumerator in lower case."""
        if name not in self.op.attributes:
            return default
        return str(self.op.attributes[name]).strip('"').rpartition("<")[2].rstrip(">").rpartition(" ")[2].lower()

    def shape(self, i: int) -> tuple[int, ...]:
        """Return operand `i`, a shape."""
        made_by = defining_op(self.operands[i])
        if made_by is None or made_by.name != "tosa.const_shape":
            self.refuse("takes a shape that is computed by the model", "use tosa.const_shape")
        return tuple(int(v) for v in read_elements_of_index(made_by.attributes["values"]))

    def values(self, i: int) -> np.ndarray[Any, Any]:
        """Return the elements of operand `i`, which must be constant."""
        found = known_elements(self.operands[i])
        if found is None:
            self.refuse(f"takes an operand {i} that is computed by the model", "use tosa.const")
        return found

    def number(self, i: int) -> int | float:
        """Return the only element of operand `i`, which must be constant."""
        return self.values(i).reshape(-1)[0].item()


def read_elements_of_index(attribute: ir.Attribute) -> Sequence[int]:
    """Return the values of a dense attribute over `index`."""
    elements, count = ir.DenseElementsAttr(attribute), ir.RankedTensorType(attribute.type).shape[0]
    if elements.is_splat and count:
        return [ir.IntegerAttr(elements.get_splat_value()).value] * count
    return [int(v) for v in np.array(elements).reshape(-1)] if count else []


class TosaConversionTable(conversion.ConversionTable[TosaOp]):
    """The conversions of one family, by the op's name in TOSA."""

    def __init__(self) -> None:
        super().__init__("tosa.")
