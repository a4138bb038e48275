"""Element formats of tt-metal."""

from ttstack.ops.types import DType


def data_type_name(dtype: DType) -> str:
    """Return the name of a format: FLOAT32, BFLOAT16, BFLOAT8_B, UINT32, INT32."""
    match dtype:
        case DType.BF16 | DType.BFP8_B | DType.BFP4_B:
            return f"BFLOAT{dtype.value.lstrip('bfp').upper()}"
        case DType.F64 | DType.F32 | DType.F16:
            return f"FLOAT{dtype.bits}"
        case DType.I1 | DType.UI8 | DType.UI16 | DType.UI32 | DType.UI64:
            return f"UINT{dtype.bits}"
        case DType.I8 | DType.I16 | DType.I32 | DType.I64 | DType.SI8 | DType.SI16 | DType.SI32 | DType.SI64:
            return f"INT{dtype.bits}"


def is_held(dtype: DType) -> bool:
    """Return True if `ttnn` has tensors of the format."""
    match dtype:
        case DType.F32 | DType.BF16 | DType.BFP8_B | DType.BFP4_B:
            return True
        case DType.SI32 | DType.UI32 | DType.UI16 | DType.UI8:
            return True
        case DType.F64 | DType.F16 | DType.I1 | DType.I8 | DType.SI8 | DType.I16 | DType.SI16 | DType.I32:
            return False
        case DType.I64 | DType.SI64 | DType.UI64:
            return False
