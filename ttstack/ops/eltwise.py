"""Elementwise ops: one result element from the elements of the operands at the same place."""

from typing import Any

from ttstack.ops.attributes import F32, Bool, Number, ResultDType, Str
from ttstack.ops.base import Op, define
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import elementwise
from ttstack.ops.shapes import broadcast, expect, integer, promote
from ttstack.ops.tile_ops import Rate, TileOpSpec, register
from ttstack.ops.types import TensorType

_RATES = {"add": Rate.ADD, "subtract": Rate.ADD, "multiply": Rate.MULTIPLY}
"""Rates of what the matrix unit does; the vector unit has functions for the others."""


class Eltwise(Op):
    """Any elementwise op: the result's shape is the operands', broadcast as in NumPy."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.mnemonic:
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
        """The broadcast shape, in the operands' common element type."""
        return TensorType(broadcast(*(t.shape for t in self.operands)), promote(*self.operands))

    def dispatch(self) -> LoopNest:
        """One tile op of the op's own name for each tile of the result."""
        attributes = self.attributes() | ({"dtype": self.results[0].dtype} if self.result_fields() else {})
        body = TileOp(self.mnemonic, tuple(range(len(self.operands))), attributes=tuple(attributes.items()))
        return elementwise(self.operands, self.results[0], [body])


class EltwiseUnary(Eltwise):
    """One operand; the result has its type."""

    op_code = "UnaryDeviceOperation"
    computes = ("input",)
    input: TensorType


class EltwiseBinary(Eltwise):
    """Two operands, broadcast against each other."""

    op_code = "BinaryNgDeviceOperation"
    computes = ("lhs", "rhs")
    lhs: TensorType
    rhs: TensorType


class Bits(EltwiseBinary):
    """Two integers bit by bit."""

    computes = ()

    def infer(self) -> TensorType:
        """The broadcast shape; both operands hold integers."""
        integer("lhs", self.lhs)
        integer("rhs", self.rhs)
        return super().infer()


class Predicate(EltwiseUnary):
    """A test of each element; the text says in which element type the answer is given."""

    dtype: ResultDType

    def infer(self) -> TensorType:
        """The operand's shape in the element type that the text says."""
        return self.input.with_dtype(self.dtype)


class EltwiseComparison(EltwiseBinary):
    """A test of two elements; the text says in which element type the answer is given."""

    dtype: ResultDType

    def infer(self) -> TensorType:
        """The broadcast shape in the element type that the text says."""
        return TensorType(broadcast(self.lhs.shape, self.rhs.shape), self.dtype)


_UNARY = {
    "abs": "Absolute value.",
    "cbrt": "Cube root.",
    "ceil": "Smallest integer not below.",
    "cos": "Cosine of radians.",
    "acos": "Inverse cosine in radians.",
    "floor": "Largest integer not above.",
    "frac": "`x - trunc(x)`.",
    "trunc": "Integer part.",
    "gelu": "`x * (1 + erf(x / sqrt(2))) / 2`, exact.",
    "gelu_tanh": "`x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`; not an op of tt-mlir's TTIR.",
    "mish": "`x * tanh(log(1 + exp(x)))`.",
    "neg": "Negation.",
    "tan": "Tangent of radians.",
    "atan": "Inverse tangent in radians.",
    "tanh": "Hyperbolic tangent.",
    "reciprocal": "`1 / x`.",
    "relu": "`max(x, 0)`.",
    "relu6": "`min(max(x, 0), 6)`.",
    "rsqrt": "`1 / sqrt(x)`.",
    "sigmoid": "`1 / (1 + exp(-x))`.",
    "softsign": "`x / (1 + |x|)`.",
    "hardsigmoid": "`min(max(x / 6 + 1 / 2, 0), 1)`.",
    "silu": "`x * sigmoid(x)`.",
    "sign": "-1, 0 or 1.",
    "sin": "Sine of radians.",
    "asin": "Inverse sine in radians.",
    "asinh": "Inverse hyperbolic sine.",
    "sqrt": "Square root.",
    "square": "`x * x`.",
    "log": "Natural logarithm.",
    "log1p": "`log(1 + x)`.",
    "expm1": "`exp(x) - 1`.",
    "exp": "e to the power.",
    "exp2": "2 to the power.",
    "erf": "Error function.",
    "erfc": "`1 - erf(x)`.",
}

_PREDICATES = {
    "isfinite": "1 where neither infinite nor NaN, else 0.",
    "logical_not": "1 where zero, else 0.",
    "signbit": "1 where the sign bit is set, else 0.",
}

_BINARY = {
    "add": "`lhs + rhs`.",
    "subtract": "`lhs - rhs`.",
    "multiply": "`lhs * rhs`.",
    "div": "`lhs / rhs`; integers round towards zero.",
    "pow": "`lhs` to the power `rhs`.",
    "remainder": "Remainder of the division that rounds towards zero (`-17 rem 3 = -2`), as StableHLO defines it.",
    "atan2": "Angle of the point (rhs, lhs) in radians.",
    "maximum": "The larger one; NaN where either is.",
    "minimum": "The smaller one; NaN where either is.",
}

_BITS = {
    "bitwise_and": "Bitwise and.",
    "bitwise_or": "Bitwise or.",
    "bitwise_xor": "Bitwise exclusive or.",
    "logical_right_shift": "`lhs` shifted right by `rhs` bits, zeros shifted in.",
    "right_shift": "`lhs` shifted right by `rhs` bits, the sign shifted in.",
    "logical_left_shift": "`lhs` shifted left by `rhs` bits.",
}

_COMPARISONS = {
    "eq": "`lhs == rhs`.",
    "ne": "`lhs != rhs`.",
    "ge": "`lhs >= rhs`.",
    "gt": "`lhs > rhs`.",
    "le": "`lhs <= rhs`.",
    "lt": "`lhs < rhs`.",
    "logical_and": "Both are nonzero.",
    "logical_or": "Either is nonzero.",
    "logical_xor": "Exactly one is nonzero.",
}

for _base, _table in (
    (EltwiseUnary, _UNARY),
    (Predicate, _PREDICATES),
    (EltwiseBinary, _BINARY),
    (Bits, _BITS),
    (EltwiseComparison, _COMPARISONS),
):
    for _mnemonic, _doc in _table.items():
        define(_base, _mnemonic, _doc)


class BitwiseNot(EltwiseUnary, mnemonic="bitwise_not"):
    """All bits inverted."""

    computes = ()

    def infer(self) -> TensorType:
        """The operand's type, which holds integers."""
        integer("input", self.input)
        return self.input


class Typecast(Predicate, mnemonic="typecast"):
    """The same values in another element type; reals become integers by truncation."""

    op_code = "TypecastDeviceOperation"
    conservative_folding: Bool = False


class BitcastConvert(Predicate, mnemonic="bitcast_convert"):
    """The same bits read as another element type of the same width."""

    op_code = "TypecastDeviceOperation"

    def infer(self) -> TensorType:
        """The operand's shape; element widths must agree."""
        same = self.input.dtype.row_major_bytes == self.dtype.row_major_bytes
        expect(same, f"element types {self.input.dtype} and {self.dtype} differ in width")
        return self.input.with_dtype(self.dtype)


class Selu(EltwiseUnary, mnemonic="selu"):
    """`scale * x` where positive, else `scale * alpha * (exp(x) - 1)`."""

    scale: F32 = 1.0507010221481323
    alpha: F32 = 1.6732635498046875


class LeakyRelu(EltwiseUnary, mnemonic="leaky_relu"):
    """`x` where not negative, else `parameter * x`."""

    parameter: F32


class GeluBw(EltwiseBinary, mnemonic="gelu_bw"):
    """Gradient of GELU at `rhs`, times the gradient `lhs`."""

    approximate: Str = "none"

    def infer(self) -> TensorType:
        """The broadcast shape; `approximate` is none or tanh."""
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
    """`second` where `first` is nonzero, else `third`."""

    op_code = "TernaryDeviceOperation"
    computes = ("second", "third")
    first: TensorType
    second: TensorType
    third: TensorType

    def infer(self) -> TensorType:
        """The broadcast shape in the element type of the two choices."""
        return TensorType(broadcast(*(t.shape for t in self.operands)), promote(self.second, self.third))
