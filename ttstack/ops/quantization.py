"""Affine quantization: real numbers as integers of a `!quant.uniform` type, per tensor or per index of a dimension."""

import numpy as np

from ttstack.ops.attributes import I32, ResultDType
from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import elementwise, elementwise_estimate, identity_map
from ttstack.ops.loops import IndexingMap, TileWork
from ttstack.ops.rows import RegionBuilder
from ttstack.ops.shapes import axis, expect
from ttstack.ops.types import DType, ElementType, QuantType, TensorType
from ttstack.ops.work_estimate import WorkEstimate

_EXACT_BITS = 16
"""Integers of this many bits are exact in f32, in which tiles are scaled and rounded."""


class Quantization(Op):
    """A tile-by-tile op whose result has the operand's shape and the declared element type."""

    op_code = "BinaryNgDeviceOperation"
    takes_quantized = True
    input: TensorType
    dtype: ResultDType

    def infer(self) -> TensorType:
        """Return the operand's shape in the declared type.

        Raise `ValueError` unless both element types are supported.
        """
        self.check()
        for name, t in (("input", self.input.dtype), ("result", self.dtype)):
            if isinstance(t, QuantType):
                _check_quantized(name, t, self.input)
        return self.input.with_dtype(self.dtype)

    def check(self) -> None:
        """Raise `ValueError` if element types or parameters do not fit the op."""
        raise NotImplementedError(f"{type(self).__name__}.check")

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of scale, shift and conversion of each tile, with per-channel parameters as operands."""
        result = self.results[0]
        work = [TileWork("multiply", (0,)), TileWork("add", (0,)), TileWork("typecast", (0,))]
        one = elementwise_estimate([self.input], result, work)
        parameters = tuple(IndexingMap((None,) * t.rank) for t in self.operands[1:])
        inputs = (identity_map(result.rank), *parameters)
        return WorkEstimate(one.domain, one.iterators, inputs, one.outputs, one.body)


class Quantize(Quantization, mnemonic="quantize"):
    """`x / scale + zero_point`, rounded to nearest (ties to even), within the range of the integers."""

    def check(self) -> None:
        """Raise `ValueError` unless real numbers become quantized ones that express them."""
        _check_real("input", self.input.dtype)
        _check_expresses("result", _quantized("result", self.dtype), "input", self.input.dtype)


class Dequantize(Quantization, mnemonic="dequantize"):
    """`(x - zero_point) * scale`."""

    def check(self) -> None:
        """Raise `ValueError` unless quantized numbers become the real ones that they express."""
        _check_real("result", self.dtype)
        _check_expresses("input", _quantized("input", self.input.dtype), "result", self.dtype)


class Requantize(Quantization, mnemonic="requantize"):
    """Convert quantized numbers to another scale and zero point."""

    def check(self) -> None:
        """Raise `ValueError` unless both are quantized and have the same expressed type and quantized dimension."""
        source, target = _quantized("input", self.input.dtype), _quantized("result", self.dtype)
        same = source.expressed == target.expressed
        expect(same, f"input expresses {source.expressed}, result {target.expressed}")
        axes = {q.axis for q in (source, target)} - {None}
        expect(len(axes) < 2, f"input is quantized along dimension {source.axis}, result along {target.axis}")


class Unrolled(Quantization):
    """Quantization with parameters as operands: one element, or one for each index of dimension `axis`.

    Quantized values have a quantized type, or only the integer type.
    """

    axis: I32 | None = None

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of each tile with its parameters.

        An estimate unless parameters repeat within tiles and integers are plain.
        """
        result, (_, *parameters) = self.results[0], self.operands
        repeated = all(t.size == 1 or (t.rank == 1 and self._columns) for t in parameters)
        if not repeated or not all(_is_exact(t.dtype) for t in (self.input, result)):
            return super().dispatch()
        region = RegionBuilder(self.operands)
        self.compute(region)
        return elementwise(self.operands, result, region.body)

    def compute(self, region: RegionBuilder) -> None:
        """Add the tile ops of the result, ending with the result."""
        raise NotImplementedError(f"{type(self).__name__}.compute")

    @property
    def _columns(self) -> bool:
        """True if parameters vary along columns of tiles."""
        return self.axis is not None and axis(self.axis, self.input.rank, "axis") == self.input.rank - 1

    def shift(self, region: RegionBuilder, zero_point: int) -> int:
        """Subtract the zero point from the input."""
        return region("subtract", _cast(region, 0, DType.SI32), _cast(region, zero_point, DType.SI32))

    def round_off(self, region: RegionBuilder, value: int, zero_point: int) -> None:
        """Add the zero point to the nearest integers, clamped to the result's type; NaN becomes 0."""
        whole = np.iinfo(self.dtype.numpy)
        value = region("add", region("round", value), _cast(region, zero_point, DType.F32))
        real = region("eq", value, value, dtype=DType.SI32)
        value = region("where", real, value, region("fill", value=0.0))
        _cast(region, region("clamp_scalar", value, min=float(whole.min), max=float(whole.max)), self.dtype)

    def check_parameters(self, prefix: str, element: ElementType) -> None:
        """Raise `ValueError` if scale or zero point do not fit the input, or the quantized type."""
        for name in (f"{prefix}scale", f"{prefix}zero_point"):
            self._check_count(name, getattr(self, name))
        _check_real(f"{prefix}scale", getattr(self, f"{prefix}scale").dtype)
        zero_point: TensorType = getattr(self, f"{prefix}zero_point")
        whole = not zero_point.dtype.is_float and not isinstance(zero_point.dtype, QuantType)
        expect(whole, f"{prefix}zero_point is {zero_point.dtype}, not an integer type")
        expect(not element.is_float, f"{element} does not hold quantized values, expected an integer type")
        if isinstance(element, QuantType) and element.axis is not None:
            at = "no axis is given" if self.axis is None else f"axis is {self.axis}"
            same = self.axis is not None and axis(self.axis, self.input.rank, "axis") == element.axis
            expect(same, f"{element} is quantized along dimension {element.axis}, {at}")

    def _check_count(self, name: str, parameter: TensorType) -> None:
        at = None if self.axis is None else axis(self.axis, self.input.rank, "axis")
        if parameter.size == 1:
            return
        expect(at is not None, f"{name} has {parameter.size} elements, and there is no axis to spread them along")
        extent = self.input.shape[at or 0]
        fits = parameter.size == extent == max(parameter.shape, default=1)
        expect(fits, f"{name} {list(parameter.shape)} does not fit the {extent} indices of dimension {at} of the input")


class QuantizeUnrolled(Unrolled, mnemonic="quantize_unrolled"):
    """`x / scale + zero_point`, rounded to nearest (ties to even), within the range of the integers."""

    scale: TensorType
    zero_point: TensorType

    def check(self) -> None:
        """Raise `ValueError` unless real numbers become integers."""
        _check_real("input", self.input.dtype)
        self.check_parameters("", self.dtype)

    def compute(self, region: RegionBuilder) -> None:
        """Divide, round and shift."""
        self.round_off(region, region("div", 0, 1), 2)


class DequantizeUnrolled(Unrolled, mnemonic="dequantize_unrolled"):
    """`(x - zero_point) * scale`."""

    scale: TensorType
    zero_point: TensorType

    def check(self) -> None:
        """Raise `ValueError` unless integers become real numbers."""
        _check_real("result", self.dtype)
        self.check_parameters("", self.input.dtype)

    def compute(self, region: RegionBuilder) -> None:
        """Shift and multiply."""
        region("multiply", _cast(region, self.shift(region, 2), self.scale.dtype), 1)


class RequantizeUnrolled(Unrolled, mnemonic="requantize_unrolled"):
    """Convert integers to another scale and zero point."""

    in_scale: TensorType
    in_zero_point: TensorType
    out_scale: TensorType
    out_zero_point: TensorType

    def check(self) -> None:
        """Raise `ValueError` unless integers become integers."""
        self.check_parameters("in_", self.input.dtype)
        self.check_parameters("out_", self.dtype)

    def compute(self, region: RegionBuilder) -> None:
        """Shift, multiply by the quotient of the scales, round and shift."""
        real = region("multiply", _cast(region, self.shift(region, 2), self.in_scale.dtype), region("div", 1, 3))
        self.round_off(region, real, 4)


def _is_exact(dtype: ElementType) -> bool:
    return isinstance(dtype, DType) and (dtype.is_float or dtype.bits <= _EXACT_BITS)


def _cast(region: RegionBuilder, value: int, dtype: ElementType) -> int:
    return region("typecast", value, conservative_folding=False, dtype=dtype)


def _quantized(name: str, element: ElementType) -> QuantType:
    if not isinstance(element, QuantType):
        raise ValueError(f"{name} is {element}, not a quantized type such as !quant.uniform<i8:f32, 0.5>")
    return element


def _check_real(name: str, element: ElementType) -> None:
    expect(element.is_float, f"{name} is {element}, not a type of real numbers")


def _check_expresses(name: str, quantized: QuantType, other: str, real: ElementType) -> None:
    same = quantized.expressed == real
    expect(same, f"{name} expresses {quantized.expressed}, {other} is {real}")


def _check_quantized(name: str, element: QuantType, t: TensorType) -> None:
    low, high = element.range
    outside = [z for z in element.zero_points if not low <= z <= high]
    expect(not outside, f"{name} has zero point {outside[:1]}, its integers are {low} to {high}")
    if element.axis is None:
        return
    at, count = element.axis, len(element.scales)
    expect(0 <= at < t.rank, f"{name} is quantized along dimension {at}, out of range for rank {t.rank}")
    fits = count == t.shape[at]
    expect(fits, f"{name} has {count} scales for the {t.shape[at]} indices of dimension {at}")
