"""Types of ONNX values, of which static tensors are supported."""

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, TypeProto

from ttstack.frontends.conversion.narrow import STORED
from ttstack.frontends.onnx_to_ttir.element_types import NARROW
from ttstack.ops.types import DType

DTYPES = {
    TensorProto.FLOAT: DType.F32,
    TensorProto.DOUBLE: DType.F64,
    TensorProto.FLOAT16: DType.F16,
    TensorProto.BFLOAT16: DType.BF16,
    TensorProto.BOOL: DType.I1,
    TensorProto.INT8: DType.I8,
    TensorProto.INT16: DType.I16,
    TensorProto.INT32: DType.I32,
    TensorProto.INT64: DType.I64,
    TensorProto.UINT8: DType.UI8,
    TensorProto.UINT16: DType.UI16,
    TensorProto.UINT32: DType.UI32,
    TensorProto.UINT64: DType.UI64,
}
"""Supported element types, by ONNX's number."""


def static_shape(value: TypeProto) -> tuple[int, ...] | None:
    """Return the shape of a tensor; None if it is not static, or not a tensor."""
    tensor = value.tensor_type
    if not value.HasField("tensor_type") or not tensor.HasField("shape"):
        return None
    if not all(d.HasField("dim_value") for d in tensor.shape.dim):
        return None
    return tuple(d.dim_value for d in tensor.shape.dim)


def type_of(values: np.ndarray[Any, Any]) -> TypeProto:
    """Return the type of a constant."""
    return onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(values.dtype), values.shape)


def stored_type(value: TypeProto) -> TypeProto:
    """Return the type of a tensor as it is stored: a wider element type in place of a narrow one."""
    if value.tensor_type.elem_type not in NARROW:
        return value
    stored = TypeProto()
    stored.CopyFrom(value)
    narrow = NARROW[value.tensor_type.elem_type]
    stored.tensor_type.elem_type = onnx.helper.np_dtype_to_tensor_dtype(STORED[narrow].numpy)
    return stored


def extents(value: TypeProto) -> list[str]:
    """Return extents as text: numbers, names of unknown extents, or `?`."""
    dims = value.tensor_type.shape.dim
    return [str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?" for d in dims]


def spell(value: TypeProto) -> str:
    """Return a shape such as `2x?x64`, with the names of unknown extents."""
    if not value.tensor_type.HasField("shape"):
        return "of unknown rank"
    return "x".join(extents(value)) or "scalar"
