"""Tensor types of MLIR and of op definitions, each from the other."""

from typing import Any

from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

_SPELLINGS = {str(d): d for d in DType} | {f"!tt.{d}": d for d in (DType.BFP8_B, DType.BFP4_B)}


def read_dtype(element: ir.Type) -> DType:
    """The element type of an MLIR type; raises `ValueError` where no device or host has it."""
    if (found := _SPELLINGS.get(str(element))) is None:
        raise ValueError(f"element type {element} is not supported")
    return found


def read_type(mlir_type: Any) -> TensorType:
    """Shape and element type of a ranked tensor type; raises `ValueError` on dynamic shapes."""
    if not isinstance(mlir_type, ir.RankedTensorType):
        raise ValueError(f"type {mlir_type} is not a ranked tensor")
    if not mlir_type.has_static_shape:
        raise ValueError(f"type {mlir_type} has a dynamic shape; give every dimension an extent")
    return TensorType(tuple(mlir_type.shape), read_dtype(mlir_type.element_type))


def element_type(dtype: DType) -> ir.Type:
    """The MLIR element type of the current context."""
    return ir.Type.parse(f"!tt.{dtype}" if dtype.is_block else str(dtype))


def tensor_type(t: TensorType, encoding: ir.Attribute | None = None) -> ir.RankedTensorType:
    """The MLIR tensor type, with a layout as its encoding where given."""
    return ir.RankedTensorType.get(list(t.shape), element_type(t.dtype), encoding)
