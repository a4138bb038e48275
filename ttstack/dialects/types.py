"""Conversion between tensor types of MLIR and of op definitions."""

from dataclasses import replace

from ttstack.dialects.equal_ops import ask_about
from ttstack.mlir import ir, quant
from ttstack.ops.shapes import check_shape
from ttstack.ops.types import DType, ElementType, QuantType, TensorType

_STORED = {str(d): d for d in (DType.I8, DType.UI8, DType.I16, DType.UI16, DType.I32, DType.UI32)}
"""Storage types of quantized values."""
DYNAMIC_SHAPE = "has a dynamic shape"
"""The error text for a dynamic type."""


def spelling(dtype: ElementType) -> str:
    """Return the MLIR syntax of an element type."""
    return f"!tt.{dtype}" if dtype.is_block else str(dtype)


_SPELLINGS = {spelling(d): d for d in DType}


def read_dtype(element: ir.Type) -> DType:
    """Return the element type of an MLIR type; raise `ValueError` if it is unsupported."""
    if (found := _SPELLINGS.get(str(element))) is None:
        raise ValueError(f"element type {element} is not supported")
    return found


def read_element(element: ir.Type) -> ElementType:
    """Return the element type of a tensor, which can be quantized."""
    if isinstance(element, quant.QuantizedType):
        return _read_quantized(element)
    return read_dtype(element)


def _read_quantized(element: quant.QuantizedType) -> QuantType:
    """Return the type of a `!quant.uniform` type; raise `ValueError` for another kind or width."""
    match element:
        case quant.UniformQuantizedType():
            scales, zero_points, axis = (element.scale,), (element.zero_point,), None
        case quant.UniformQuantizedPerAxisType():
            scales, zero_points = tuple(element.scales), tuple(element.zero_points)
            axis = element.quantized_dimension
        case _:
            raise ValueError(f"element type {element} is not quantized uniformly, as a whole or along one dimension")
    name = f"{'' if element.is_signed else 'u'}i{element.storage_type_integral_width}"
    if name not in _STORED:
        raise ValueError(f"{element} is stored as {name}, expected one of {', '.join(_STORED)}")
    found = QuantType(_STORED[name], read_dtype(element.expressed_type), scales, zero_points, axis)
    limits = element.storage_type_min, element.storage_type_max
    return found if limits == found.range else replace(found, limits=limits)


def element_type(dtype: ElementType) -> ir.Type:
    """Return the MLIR element type of the current context."""
    return ir.Type.parse(spelling(dtype))


def read_type(mlir_type: ir.Type) -> TensorType:
    """Return shape and element type of a ranked tensor type; raise `ValueError` for dynamic or impossible shapes."""
    return ask_about(_read_type, mlir_type)


def _read_type(mlir_type: ir.Type) -> TensorType:
    if not isinstance(mlir_type, ir.RankedTensorType):
        raise ValueError(f"type {mlir_type} is not a ranked tensor")
    if not mlir_type.has_static_shape:
        raise ValueError(f"type {mlir_type} {DYNAMIC_SHAPE}; give every dimension an extent")
    shape = tuple(mlir_type.shape)
    check_shape(shape)
    return TensorType(shape, read_element(mlir_type.element_type))


def tensor_type(t: TensorType, encoding: ir.Attribute | None = None) -> ir.RankedTensorType:
    """Return the MLIR tensor type, with a layout as encoding if given; raise `ValueError` if it is too large."""
    check_shape(t.shape)
    return ir.RankedTensorType.get(list(t.shape), element_type(t.dtype), encoding)
