"""Elementwise ops."""

from typing import Any

from ttstack.ops.attributes import F32, Bool, Number, ResultDType, Str
from ttstack.ops.base import Op, define
from ttstack.ops.eltwise_functions import BINARY, BITS, COMPARISONS, PREDICATES, UNARY
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import elementwise
from ttstack.ops.matmul import check_activation
from ttstack.ops.rows import RegionBuilder
from ttstack.ops.shapes import broadcast, expect, integer, promote
from ttstack.ops.tile_ops import Rate, TileOpSpec, register
from ttstack.ops.types import TensorType

_RATES = {"add": Rate.ADD, "subtract": Rate.ADD, "multiply": Rate.MULTIPLY}
"""Rates of tile ops on the matrix unit; all others run on the vector unit."""


class Eltwise(Op):
    """An elementwise op; the result has the broadcast shape of the operands, as in NumPy."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.mnemonic and cls.dispatch is Eltwise.dispatch:
            register(cls._tile_op())

    @classmethod
    def _tile_op(cls) -> TileOpSpec:
        return TileOpSpec(
            cls.mnemonic,
            len(cls.operand_specs()),
            cls.mnemonic,
            f"On tiles: {cls.__doc__}",
            _RATES.get(cls.mnemonic, Rate.FUNCTION),
            typed=bool(cls.result_fields()),
            attributes=cls.attribute_specs(),
        )

    def infer(self) -> TensorType:
        """Return the broadcast shape in the operands' common element type."""
        return TensorType(broadcast(*(t.shape for t in self.operands)), promote(*self.operands))

    def dispatch(self) -> LoopNest:
        """Return a nest with one tile op of the op's own name for each result tile."""
        attributes = self.attributes() | ({"dtype": self.results[0].dtype} if self.result_fields() else {})
        body = TileOp(self.mnemonic, tuple(range(len(self.operands))), attributes=tuple(attributes.items()))
        return elementwise(self.operands, self.results[0], [body])


class EltwiseUnary(Eltwise):
    """An elementwise op with one operand, whose type the result has."""

    op_code = "UnaryDeviceOperation"
    computes = ("input",)
    input: TensorType


class EltwiseBinary(Eltwise):
    """An elementwise op with two operands, broadcast against each other."""

    op_code = "BinaryNgDeviceOperation"
    computes = ("lhs", "rhs")
    lhs: TensorType
    rhs: TensorType


class Bits(EltwiseBinary):
    """A bitwise op on two integers."""

    computes = ()

    def infer(self) -> TensorType:
        """Return the broadcast shape; raise `ValueError` unless both operands hold integers."""
        integer("lhs", self.lhs)
        integer("rhs", self.rhs)
        return super().infer()


class Predicate(EltwiseUnary):
    """A test of each element; the element type of the result is declared."""

    decides = ("input",)
    dtype: ResultDType

    def infer(self) -> TensorType:
        """Return the operand's shape in the declared element type."""
        return self.input.with_dtype(self.dtype)


class EltwiseComparison(EltwiseBinary):
    """A comparison of two elements; the element type of the result is declared."""

    decides = ("lhs", "rhs")
    dtype: ResultDType

    def infer(self) -> TensorType:
        """Return the broadcast shape in the declared element type."""
        return TensorType(broadcast(self.lhs.shape, self.rhs.shape), self.dtype)


for _base, _table in (
    (EltwiseUnary, UNARY),
    (Predicate, PREDICATES),
    (EltwiseBinary, BINARY),
    (Bits, BITS),
    (EltwiseComparison, COMPARISONS),
):
    for _mnemonic, _doc in _table.items():
        define(_base, _mnemonic, _doc)


class BitwiseNot(EltwiseUnary, mnemonic="bitwise_not"):
    """Invert all bits."""

    computes = ()

    def infer(self) -> TensorType:
        """Return the operand's type; raise `ValueError` unless it holds integers."""
        integer("input", self.input)
        return self.input


class Typecast(Predicate, mnemonic="typecast"):
    """Convert to another element type; reals are truncated to integers."""

    op_code = "TypecastDeviceOperation"
    decides = ()
    conservative_folding: Bool = False


class BitcastConvert(Predicate, mnemonic="bitcast_convert"):
    """Reinterpret the bits as another element type of the same width."""

    op_code = "UnaryDeviceOperation"
    decides = ()

    def infer(self) -> TensorType:
        """Return the operand's shape; raise `ValueError` unless element widths agree."""
        same = self.input.dtype.row_major_bytes == self.dtype.row_major_bytes
        expect(same, f"element types {self.input.dtype} and {self.dtype} differ in width")
        return self.input.with_dtype(self.dtype)


class Selu(EltwiseUnary, mnemonic="selu"):
    """`scale * x` if positive, otherwise `scale * alpha * (exp(x) - 1)`."""

    scale: F32 = 1.0507010221481323
    alpha: F32 = 1.6732635498046875


class LeakyRelu(EltwiseUnary, mnemonic="leaky_relu"):
    """`x` if not negative, otherwise `parameter * x`."""

    parameter: F32


class ActivatedBinary(EltwiseBinary):
    """A binary elementwise op with fused activations of its operands or result, by mnemonic, in one kernel.

    Fusion of activations creates these ops; they are not ops of tt-mlir.
    """

    lhs_activation: Str = ""
    rhs_activation: Str = ""
    activation: Str = ""

    @property
    def function(self) -> str:
        """The mnemonic of the op without activations."""
        return self.mnemonic.removeprefix(ACTIVATED)

    def infer(self) -> TensorType:
        """Return the broadcast shape in the operands' common element type, which must be real."""
        for name in (self.lhs_activation, self.rhs_activation, self.activation):
            check_activation(name)
        found = super().infer()
        expect(found.dtype.is_float, f"operands hold {found.dtype}, no real numbers")
        return found

    def dispatch(self) -> LoopNest:
        """Return a nest with a tile op for each function, in order."""
        region = RegionBuilder(self.operands)
        named = enumerate((self.lhs_activation, self.rhs_activation))
        value = region(self.function, *[region(name, i) if name else i for i, name in named])
        if self.activation:
            region(self.activation, value)
        return elementwise(self.operands, self.results[0], region.body)


ACTIVATED = "activated_"
"""The prefix of names of ops with activations."""

for _mnemonic in ("add", "subtract", "multiply"):
    define(ActivatedBinary, f"{ACTIVATED}{_mnemonic}", f"{BINARY[_mnemonic]} Operands and result can be activated.")


class GeluBw(EltwiseBinary, mnemonic="gelu_bw"):
    """Multiply the gradient `lhs` by the derivative of GELU at `rhs`."""

    approximate: Str = "none"

    def infer(self) -> TensorType:
        """Return the broadcast shape; raise `ValueError` unless `approximate` is none or tanh."""
        expect(self.approximate in ("none", "tanh"), f"approximate is {self.approximate!r}, not none or tanh")
        return super().infer()


class ClampScalar(EltwiseUnary, mnemonic="clamp_scalar"):
    """`min(max(x, min), max)` with bounds from attributes."""

    computes = None
    min: Number
    max: Number


class ClampTensor(Eltwise, mnemonic="clamp_tensor"):
    """`min(max(x, min), max)` with bounds from tensors."""

    op_code = "TernaryDeviceOperation"
    computes = ("input", "min", "max")
    input: TensorType
    min: TensorType
    max: TensorType


class Where(Eltwise, mnemonic="where"):
    """`second` if `first` is nonzero, otherwise `third`."""

    op_code = "TernaryDeviceOperation"
    decides = ("first",)
    computes = ("second", "third")
    first: TensorType
    second: TensorType
    third: TensorType

    def infer(self) -> TensorType:
        """Return the broadcast shape in the element type of `second` and `third`."""
        return TensorType(broadcast(*(t.shape for t in self.operands)), promote(self.second, self.third))
