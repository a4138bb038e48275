"""Values of `ttir.constant`: dense attributes as arrays, and back."""

from typing import Any

import numpy as np

from ttstack.dialects.types import read_dtype, tensor_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType


def read_elements(attribute: Any) -> np.ndarray[Any, Any]:
    """The values of a dense attribute in the NumPy type of its element type.

    Raises:
        ValueError: the values are in a resource, which the bindings cannot read back.
    """
    tensor = ir.RankedTensorType(attribute.type)
    dtype = read_dtype(tensor.element_type)
    if not isinstance(attribute, ir.DenseElementsAttr):
        raise ValueError(f"the values of {str(attribute)[:60]} cannot be read; write them as dense<...>")
    shape = tuple(tensor.shape)
    if attribute.is_splat:
        return np.full(shape, _scalar(attribute.get_splat_value(), dtype), dtype.numpy)
    if dtype in (DType.BF16, DType.I1) or dtype.value.startswith(("si", "ui")):
        dense: Any = attribute
        values = [dense[i] for i in range(len(dense))]
        return np.array(values).astype(dtype.numpy).reshape(shape)
    return np.array(attribute).reshape(shape)


def elements_attribute(values: np.ndarray[Any, Any], t: TensorType) -> ir.Attribute:
    """A dense attribute of that type."""
    mlir_type: Any = tensor_type(t)
    array: Any = np.ascontiguousarray(values, t.dtype.numpy)
    if array.size and (array == array.flat[0]).all():
        return ir.DenseElementsAttr.get_splat(mlir_type, _scalar_attribute(array.flat[0], mlir_type.element_type))
    if t.dtype is DType.BF16:
        array = array.view(np.uint16)
    if t.dtype is DType.I1:
        return ir.DenseElementsAttr.get([ir.BoolAttr.get(bool(v)) for v in array.flat], mlir_type)
    return ir.DenseElementsAttr.get(array, type=mlir_type.element_type, shape=list(t.shape))


def _scalar(attribute: Any, dtype: DType) -> Any:
    value = attribute.value
    return value % (1 << dtype.bits) if dtype.is_unsigned and dtype is not DType.I1 else value


def _scalar_attribute(value: Any, element: ir.Type) -> ir.Attribute:
    if str(element)[0] in "fb":
        return ir.FloatAttr.get(element, float(value))
    return ir.BoolAttr.get(bool(value)) if str(element) == "i1" else ir.IntegerAttr.get(element, int(value))
