"""Values of `ttir.constant`: dense attributes as arrays, and back."""

import re
from typing import Any

import numpy as np

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.dialects.python_attributes import read_plain
from ttstack.dialects.types import read_dtype, read_type, tensor_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

RESOURCE = re.compile(r"dense_resource<\s*(\"(?:[^\"\\]|\\.)*\"|[^\s>]+)\s*>")
"""The syntax of a reference to a resource, with its name as group."""

_DENSE = re.compile(r"dense<([^>]*)>")


def read_elements(attribute: ir.Attribute) -> np.ndarray[Any, Any]:
    """Return the values of a dense attribute as a NumPy array; a splat takes no memory.

    Raises:
        ValueError: the values are in a resource, which the bindings cannot read, or of an unknown type.
    """
    t = read_type(attribute.type)
    dtype, shape = read_dtype(ir.RankedTensorType(attribute.type).element_type), t.shape
    if not isinstance(attribute, ir.DenseElementsAttr):
        raise ValueError(f"the values of {str(attribute)[:60]} cannot be read; write them as dense<...>")
    if attribute.is_splat:
        return np.broadcast_to(np.array(_scalar(attribute.get_splat_value(), dtype), dtype.numpy), shape)
    values = _read_bf16(str(attribute)) if dtype is DType.BF16 else np.array(attribute)
    return values.astype(dtype.numpy, copy=False).reshape(shape)


def elements_attribute(values: np.ndarray[Any, Any], t: TensorType) -> ir.Attribute:
    """Build a dense attribute of that type."""
    mlir_type = tensor_type(t)
    if values.size and not any(values.strides):
        values = values.reshape(-1)[:1]
    array = np.ascontiguousarray(values, t.dtype.numpy)
    bits = array.reshape(-1).view(f"u{array.itemsize}")
    if array.size and (bits == bits[0]).all():
        return ir.DenseElementsAttr.get_splat(mlir_type, _scalar_attribute(array.flat[0], mlir_type.element_type))
    if t.dtype is DType.BF16:
        array = array.view(np.uint16)
    if t.dtype is DType.I1 and array.size:
        return ir.DenseElementsAttr.get([ir.BoolAttr.get(bool(v)) for v in array.flat], mlir_type)
    return ir.DenseElementsAttr.get(array.data, type=mlir_type.element_type, shape=list(t.shape))


def _read_bf16(text: str) -> np.ndarray[Any, Any]:
    """Parse the values of `dense<...>`, as the bindings have no buffer of this type.

    NaN and infinities print as bits.
    """
    values = text.removeprefix("dense<").rpartition("> : ")[0]
    dtype = DType.BF16.numpy
    if values.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(values[3:-1]), dtype)
    words = re.findall(r"[^\[\],\s]+", values)
    bits = [int(w, 16) if w.startswith("0x") else _bits(float(w)) for w in words]
    return np.array(bits, np.uint16).view(dtype)


def _bits(value: float) -> int:
    return int(np.array(value, DType.BF16.numpy).view(np.uint16))


def _scalar(attribute: ir.Attribute, dtype: DType) -> float:
    value: float = read_plain(attribute)
    return value % (1 << dtype.bits) if dtype.is_unsigned and dtype is not DType.I1 else value


def _scalar_attribute(value: float, element: ir.Type) -> ir.Attribute:
    if str(element)[0] in "fb":
        return ir.FloatAttr.get(element, float(value))
    if str(element) == "i1":
        return ir.BoolAttr.get(bool(value))
    number = int(value)
    return ir.IntegerAttr.get(element, number if number < 1 << 63 else number - (1 << 64))  # the bindings take 64 bits


def read_complex_constant(op: ir.Operation) -> np.ndarray[Any, Any]:
    """Return the values of a constant of complex numbers from its text, as the bindings do not read them.

    Raises:
        UnsupportedOpError: the values are in a resource.
    """
    t = ir.RankedTensorType(op.results[0].type)
    dtype = np.dtype(np.float64 if str(ir.ComplexType(t.element_type).element_type) == "f64" else np.float32)
    if (dense := _DENSE.search(str(op))) is None:
        raise UnsupportedOpError(
            f"`{op.name}` has complex numbers in a resource",
            loc=read_location(op.location) or None,
            hint="write them as dense<...>, or make them an input",
        )
    if dense[1].startswith('"0x'):
        parts = np.frombuffer(bytes.fromhex(dense[1][3:-1]), dtype)
    else:
        words = re.findall(r"[^\[\](),\s]+", dense[1])
        parts = np.array([_float(word, dtype) for word in words], dtype)
    found = parts.view(np.dtype(f"c{2 * dtype.itemsize}"))
    return np.broadcast_to(found[0], tuple(t.shape)) if found.size == 1 else found.reshape(tuple(t.shape))


def _float(word: str, dtype: np.dtype[Any]) -> Any:
    """Return a printed number; NaN and infinities print as bits."""
    bits = np.dtype(f"u{dtype.itemsize}")
    return np.array(int(word, 16), bits).view(dtype)[()] if word.startswith("0x") else dtype.type(float(word))
