"""Reductions along dimensions, and softmax."""

from typing import Any, ClassVar

from ttstack.ops.attributes import I64, Bool, I32Array, ResultDType, Si32
from ttstack.ops.base import Op, define
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import identity_map
from ttstack.ops.loops import IndexingMap, Iterator
from ttstack.ops.rows import RegionBuilder, over_rows
from ttstack.ops.shapes import axes, axis, expect, integer
from ttstack.ops.tile_ops import OVER, Rate, TileOpSpec, register
from ttstack.ops.types import TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate

_TILE_DOC = "Reduce a tile into the accumulator."
_SCAN_DOC = "What there is so far along the reduction loop, with this tile."

_MASKED_RANK = 4
"""Rank of a softmax input with a mask: batch, heads, rows, width."""

_RATES = {"reduce_sum": Rate.REDUCE, "reduce_mean": Rate.REDUCE, "reduce_max": Rate.REDUCE_MAX}


class Reduction(Op):
    """Reduce along `dim_arg`, or along all dimensions if it is absent or empty."""

    op_code = "ReduceDeviceOperation"
    computes = ("input",)
    input: TensorType
    keep_dim: Bool
    dim_arg: I32Array | None = None
    tile_op: ClassVar[str] = ""
    """Its tile op."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.tile_op = f"reduce_{cls.mnemonic.removeprefix('reduce_')}"
        rate, typed = _RATES.get(cls.tile_op, Rate.FUNCTION), bool(cls.result_fields())
        register(TileOpSpec(cls.tile_op, 1, cls.mnemonic, _TILE_DOC, rate, reduces=True, typed=typed, attributes=OVER))

    @property
    def dims(self) -> tuple[int, ...]:
        """Reduced dimensions, counted from the front."""
        return axes(self.dim_arg or None, self.input.rank)

    def infer(self) -> TensorType:
        """Return the shape without the reduced dimensions, or with extent 1 there."""
        kept = [1 if i in self.dims else d for i, d in enumerate(self.input.shape)]
        if not self.keep_dim:
            kept = [d for i, d in enumerate(self.input.shape) if i not in self.dims]
        return self.input.with_shape(tuple(kept))

    def flops(self) -> int:
        """Return one for each element that is read."""
        return self.input.size

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return loops over the operand that keep the reduced dimensions in a core."""
        kept = [i for i in range(self.input.rank) if i not in self.dims]
        out = tuple(None if i in self.dims else i for i in range(self.input.rank)) if self.keep_dim else tuple(kept)
        # Dropped tile dimensions move what is left across tile boundaries.
        aligned = self.keep_dim or kept[-2:] == [self.input.rank - 2, self.input.rank - 1]
        attributes = (("dtype", self.results[0].dtype),) if self.result_fields() else ()
        nest = LoopNest(
            domain=tile_shape(self.input.shape),
            iterators=tuple(
                Iterator.REDUCTION if i in self.dims else Iterator.PARALLEL for i in range(self.input.rank)
            ),
            inputs=(identity_map(self.input.rank),),
            outputs=(IndexingMap(out),),
            body=(TileOp(self.tile_op, (0, 1), attributes),),
        )
        return nest if aligned else nest.estimate()


for _mnemonic, _doc in {
    "sum": "Sum along dimensions.",
    "mean": "Arithmetic mean along dimensions.",
    "max": "Largest element along dimensions; NaN where one is.",
    "min": "Smallest element along dimensions; NaN where one is.",
    "prod": "Product along dimensions.",
    "reduce_and": "1 where all elements are nonzero, else 0.",
    "reduce_or": "1 where any element is nonzero, else 0.",
}.items():
    define(Reduction, _mnemonic, _doc)


class Argmax(Reduction, mnemonic="argmax"):
    """Index of the first maximum, in row-major order of the dimensions of `dim_arg`, or of all."""

    op_code = "ArgMaxDeviceOperation"
    decides = ("input",)
    dtype: ResultDType

    def infer(self) -> TensorType:
        """Return the reduced shape in the declared integer type."""
        found = super().infer().with_dtype(self.dtype)
        integer("result", found)
        missing = any(self.input.shape[d] == 0 for d in self.dims) and found.size > 0
        expect(not missing, f"input {list(self.input.shape)} has no elements along {list(self.dims)}")
        return found


class Scan(Op):
    """An inclusive scan along one dimension."""

    op_code = "AccumulationDeviceOperation"
    computes = ("input",)
    input: TensorType
    dim: I64

    def infer(self) -> TensorType:
        """Return the operand's type."""
        axis(self.dim, self.input.rank)
        return self.input

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(TileOpSpec(f"scan_{cls.mnemonic}", 1, cls.mnemonic, _SCAN_DOC, Rate.ADD, scans=True))

    def dispatch(self) -> LoopNest:
        """Return loops that keep the scanned dimension in a core."""
        region = RegionBuilder(self.operands)
        region(f"scan_{self.mnemonic}", 0)
        return over_rows(self.operands, self.input, [axis(self.dim, self.input.rank)], region)


define(Scan, "cumsum", "Running sum along `dim`.")
define(Scan, "cumprod", "Running product along `dim`.")


class Softmax(Op, mnemonic="softmax"):
    """Softmax along `dimension`; `numericStable` subtracts the maximum first.

    Its input is `input + mask` if there is a mask: [batch, 1, 1, width] for an input [batch, heads, rows, width].
    """

    op_code = "SoftmaxDeviceOperation"
    computes = ("input", "mask")
    input: TensorType
    mask: TensorType | None = None
    dimension: Si32
    numericStable: Bool = False

    def infer(self) -> TensorType:
        """Return the operand's type."""
        along = axis(self.dimension, self.input.rank, "dimension")
        if self.mask is not None:
            last = self.input.rank == _MASKED_RANK == along + 1
            expect(last, f"a mask is added along the last of {_MASKED_RANK} dimensions")
            row = self.input.with_shape((self.input.shape[0], 1, 1, self.input.shape[-1]))
            expect(self.mask == row, f"mask is {self.mask}, expected {row}")
        return self.input

    def flops(self) -> int:
        """Return five for each element: maximum, subtraction, exponential, sum, scaling; and one for a mask."""
        return (5 + (self.mask is not None)) * self.input.size

    def dispatch(self) -> LoopNest:
        """Return loops that keep each row in a core."""
        region = RegionBuilder(self.operands)
        x = 0 if self.mask is None else region("add", 0, 1)
        x = region("subtract", x, region("reduce_max", x)) if self.numericStable else x
        power = region("exp_approx", x)
        region("multiply", power, region("reciprocal", region("reduce_sum", power)))
        return over_rows(self.operands, self.input, [axis(self.dimension, self.input.rank)], region)
