"""The MLIR syntax of op attributes, written as annotations of the fields of an op definition."""

from dataclasses import MISSING, dataclass
from typing import Annotated, Any

from ttstack.ops.shapes import TooLargeError
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import ElementType, TensorType


@dataclass(frozen=True)
class Spelling:
    """The MLIR form of one attribute.

    `kind` is one of `bool`, `string`, `integer`, `float`, `array` (`[1 : i32, 2 : i32]`), `dense` (`array<i32: 1, 2>`),
    `sides` (an integer or a dense array of integers), `number` (integer or float), `enum`, `elements`, `table` (rows of
    integers, as a dense tensor), `flattened` (sizes of images whose pixels are in one dimension), `region` (the loop
    nest of the op) and `tensor_train`; `type` is the element type.
    """

    kind: str
    type: str = ""


@dataclass(frozen=True)
class Attribute:
    """One attribute of an op definition."""

    name: str
    spelling: Spelling
    default: Any

    @property
    def required(self) -> bool:
        """True if the MLIR text must contain it."""
        return self.default is MISSING


def check_range(value: int, element: str) -> None:
    """Raise `TooLargeError` if a number does not fit an integer type such as `si32`."""
    bits = int(element.lstrip("siu"))
    low, high = (0, 1 << bits) if element.startswith("u") else (-(1 << bits - 1), 1 << bits - 1)
    if not low <= value < high:
        raise TooLargeError(f"{value} does not fit {element}")


REGION = "region"
"""The kind of a field that is computed from the op's attributes and region: its loop nest."""

FROM_RESULT = "result"
"""The kind of a field that is read from the type of result number `type`."""

Bool = Annotated[bool, Spelling("bool")]
Str = Annotated[str, Spelling("string")]
I32 = Annotated[int, Spelling("integer", "i32")]
I64 = Annotated[int, Spelling("integer", "i64")]
Si32 = Annotated[int, Spelling("integer", "si32")]
Si64 = Annotated[int, Spelling("integer", "si64")]
Ui32 = Annotated[int, Spelling("integer", "ui32")]
F32 = Annotated[float, Spelling("float", "f32")]
Number = Annotated[float, Spelling("number", "f32")]
I32Array = Annotated[tuple[int, ...], Spelling("array", "i32")]
DenseI32 = Annotated[tuple[int, ...], Spelling("dense", "i32")]
DenseI64 = Annotated[tuple[int, ...], Spelling("dense", "i64")]
Sides = Annotated[int | tuple[int, ...], Spelling("sides", "i32")]
SignedSides = Annotated[int | tuple[int, ...], Spelling("sides", "si32")]
FlattenedCompat = Annotated[tuple[int, ...], Spelling("flattened")]
"""The three sizes in `#ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 3>`."""
AttentionMaskType = Annotated[str, Spelling("enum", "attention_mask_type")]
MemorySpace = Annotated[str, Spelling("enum", "memory_space")]
MoeActivation = Annotated[str, Spelling("enum", "moe_activation")]
ReduceType = Annotated[str, Spelling("enum", "reduce_type")]
ShardType = Annotated[str, Spelling("enum", "shard_type")]
ShardDirection = Annotated[str, Spelling("enum", "shard_direction")]
DeviceTable = Annotated[tuple[tuple[int, ...], ...], Spelling("table", "i64")]
"""Rows of device numbers: `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`."""
TensorTrainAttr = Annotated[TensorTrainType, Spelling("tensor_train")]
"""`#tt.tensor_train<{rows = 100, columns = 16, row_factors = [10, 10], ..., element = bf16}>`."""
Elements = Annotated[Any, Spelling("elements")]
ResultDType = Annotated[ElementType, Spelling(FROM_RESULT, "0")]
SecondResultDType = Annotated[ElementType, Spelling(FROM_RESULT, "1")]
ResultType = Annotated[TensorType, Spelling(FROM_RESULT, "0")]
ResultTypes = Annotated[tuple[TensorType, ...], Spelling(FROM_RESULT, "-1")]
"""The types of all results."""
