"""Types of the torch dialect as tensor types of TTIR, with signless instead of signed integers."""

import re
from functools import cache

from ttstack.dialects.types import tensor_type
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

_TENSOR = re.compile(r"!torch\.vtensor<\[([\d,]*)\],(\w+)>")
_SIGNED = (DType.I8, DType.I16, DType.I32, DType.I64)
_DTYPES = {str(d): d for d in DType if not d.value.startswith(("si", "bfp"))} | {f"s{d}": d for d in _SIGNED}


def read_torch_type(torch_type: ir.Type) -> TensorType | None:
    """Return the tensor type of a `!torch.vtensor` with static shape and known element type; otherwise None."""
    return _read(str(torch_type))


def builtin_type(torch_type: ir.Type) -> ir.Type:
    """Return the builtin tensor type of a torch tensor; any other type unchanged."""
    found = read_torch_type(torch_type)
    return torch_type if found is None else tensor_type(found)


@cache
def _read(text: str) -> TensorType | None:
    match = _TENSOR.fullmatch(text)
    if match is None or match[2] not in _DTYPES:
        return None
    return TensorType(tuple(int(d) for d in match[1].split(",") if d), _DTYPES[match[2]])
