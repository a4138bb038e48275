"""Affine quantization: rounding to nearest even, saturating."""

import numpy as np

from ttstack.ops.quantization import Dequantize, Quantize, Requantize, Unrolled
from ttstack.ops.types import DType, QuantType, storage_of
from ttstack.passes.ttir_to_linalg.formulas import clip
from ttstack.passes.ttir_to_linalg.scalars import Scalar, cast, is_nan, library, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, literal

LOWERINGS = LoweringTable()


@LOWERINGS("quantize")
def _quantize(op: Quantize, x: Dense) -> Dense:
    target = op.dtype
    assert isinstance(target, QuantType)
    return _integers(op, x, None, _parameters(target, x.rank))


@LOWERINGS("dequantize")
def _dequantize(op: Dequantize, x: Dense) -> Dense:
    source = op.input.dtype
    assert isinstance(source, QuantType)
    return _reals(x, _parameters(source, x.rank)).cast(op.results[0].dtype)


@LOWERINGS("requantize")
def _requantize(op: Requantize, x: Dense) -> Dense:
    source, target = op.input.dtype, op.dtype
    assert isinstance(source, QuantType)
    assert isinstance(target, QuantType)
    return _integers(op, x, _parameters(source, x.rank), _parameters(target, x.rank))


@LOWERINGS("quantize_unrolled")
def _quantize_unrolled(op: Unrolled, x: Dense, *parameters: Dense) -> Dense:
    return _integers(op, x, None, _along(op, x, parameters))


@LOWERINGS("dequantize_unrolled")
def _dequantize_unrolled(op: Unrolled, x: Dense, *parameters: Dense) -> Dense:
    return _reals(x, _along(op, x, parameters)).cast(op.results[0].dtype)


@LOWERINGS("requantize_unrolled")
def _requantize_unrolled(op: Unrolled, x: Dense, *parameters: Dense) -> Dense:
    return _integers(op, x, _along(op, x, parameters[:2]), _along(op, x, parameters[2:]))


def _parameters(q: QuantType, rank: int) -> list[Dense]:
    along = [-1 if d == q.axis else 1 for d in range(rank)] if q.axis is not None else []
    scale, zero = np.array(q.scales).reshape(along), np.array(q.zero_points, np.int64).reshape(along)
    return [literal(scale, DType.F64), literal(zero, DType.I64)]


def _along(op: Unrolled, x: Dense, parameters: tuple[Dense, ...]) -> list[Dense]:
    def spread(p: Dense) -> Dense:
        if p.size == 1 or op.axis is None:
            return p.reshape()
        return p.reshape(*(-1 if d == op.axis % x.rank else 1 for d in range(x.rank)))

    return [spread(p) for p in parameters]


def _reals(x: Dense, parameters: list[Dense]) -> Dense:
    def body(e: Scalar, scale: Scalar, zero: Scalar) -> Scalar:
        return cast(cast(e, DType.I64) - cast(zero, DType.I64), DType.F64) * cast(scale, DType.F64)

    return elementwise(body, [x, *parameters], DType.F64)


def _integers(op: Quantize | Requantize | Unrolled, x: Dense, before: list[Dense] | None, after: list[Dense]) -> Dense:
    dtype = storage_of(op.results[0].dtype)
    limits = op.dtype.limits if isinstance(op.dtype, QuantType) else None
    whole = np.iinfo(dtype.numpy)
    low, high = limits or (int(whole.min), int(whole.max))

    exact = DType.F64 if DType.F64 in (x.dtype, after[0].dtype) else DType.F32

    def body(e: Scalar, *p: Scalar) -> Scalar:
        reals = [cast(v, DType.F64) for v in p]
        if before is None:
            real, zero = cast(cast(e, exact) / cast(p[0], exact), DType.F64), reals[1]
        else:
            distance = cast(cast(e, DType.I64) - cast(p[1], DType.I64), DType.F64)
            real, zero = distance * (reals[0] / reals[2]), reals[3]
        rounded = library("roundeven", real) + zero
        return clip(select(is_nan(rounded), rounded.like(0), rounded), low, high)

    return elementwise(body, [x, *(before or ()), *after], dtype)
