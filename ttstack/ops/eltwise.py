"""Elementwise ops: one result element from the elements of the operands at the same place."""

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
"""Rates of what the matrix unit does; the vector unit has functions for the others."""


class Eltwise(Op):
    """Any elementwise op: the result's shape is the operands', broadcast as in NumPy."""

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

    decides = ("input",)
    dtype: ResultDType

    def infer(self) -> TensorType:
        """The operand's shape in the element type that the text says."""
        return self.input.with_dtype(self.dtype)


class EltwiseComparison(EltwiseBinary):
    """A test of two elements; the text says in which element type the answer is given."""

    decides = ("lhs", "rhs")
    dtype: ResultDType

    def infer(self) -> TensorType:
        """The broadcast shape in the element type that the text says."""
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
    """All bits inverted."""

    computes = ()

    def infer(self) -> TensorType:
        """The operand's type, which holds integers."""
        integer("input", self.input)
        return self.input


class Typecast(Predicate, mnemonic="typecast"):
    """The same values in another element type; reals become integers by truncation."""

    op_code = "TypecastDeviceOperation"
    decides = ()
    conservative_folding: Bool = False


class BitcastConvert(Predicate, mnemonic="bitcast_convert"):
    """The same bits read as another element type of the same width."""

    op_code = "UnaryDeviceOperation"
    decides = ()

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


class ActivatedBinary(EltwiseBinary):
    """A function of two elements with what they, or its result, go through first, by mnemonic: one kernel does all.

    What fuses activations makes them; not ops of tt-mlir's.
    """

    lhs_activation: Str = ""
    rhs_activation: Str = ""
    activation: Str = ""

    @property
    def function(self) -> str:
        """The mnemonic of the op without activations."""
        return self.mnemonic.removeprefix(ACTIVATED)

    def infer(self) -> TensorType:
        """The broadcast shape, in the operands' common element type, which is real."""
        for name in (self.lhs_activation, self.rhs_activation, self.activation):
            check_activation(name)
        found = super().infer()
        expect(found.dtype.is_float, f"operands hold {found.dtype}, no real numbers")
        return found

    def dispatch(self) -> LoopNest:
        """A tile op for each function that is named, one after the other."""
        region = RegionBuilder(self.operands)
        named = enumerate((self.lhs_activation, self.rhs_activation))
        value = region(self.function, *[region(name, i) if name else i for i, name in named])
        if self.activation:
            region(self.activation, value)
        return elementwise(self.operands, self.results[0], region.body)


ACTIVATED = "activated_"
"""What names of ops with activations begin with."""

for _mnemonic in ("add", "subtract", "multiply"):
    define(ActivatedBinary, f"{ACTIVATED}{_mnemonic}", f"{BINARY[_mnemonic]} Operands and result can be activated.")


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
    decides = ("first",)
    computes = ("second", "third")
    first: TensorType
    second: TensorType
    third: TensorType

    def infer(self) -> TensorType:
        """The broadcast shape in the element type of the two choices."""
        return TensorType(broadcast(*(t.shape for t in self.operands)), promote(self.second, self.third))
