"""What can be drawn for training, for normalisation by group and batch, and for quantization."""

import math
from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import LEAD, REALS, SIDE, Draw, for_ops, tensors
from tests.ops.strategies_normalization import per_channel
from ttstack.ops import embedding, normalization, quantization, training
from ttstack.ops.types import DType, ElementType, QuantType, TensorType

REAL = st.sampled_from(REALS)
STORED = st.sampled_from((DType.I8, DType.UI8, DType.I16, DType.UI16, DType.I32))
SCALE = st.sampled_from((0.5, 0.25, 2.0, 0.0078125))


@for_ops(normalization.BatchNormTraining)
def batch_norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=2))
    dim = draw(st.integers(0, t.rank - 1))
    return Case(mnemonic, (t, *per_channel(draw, t, dim)), {"epsilon": 0.5, "dimension": dim, "momentum": 0.25})


@for_ops(normalization.GroupNorm)
def group_norm(draw: Draw, mnemonic: str) -> Case:
    groups, each, at = draw(LEAD), draw(SIDE), draw(st.integers(1, 3))
    shape = [draw(LEAD), draw(LEAD), draw(SIDE), draw(SIDE)]
    shape[at] = groups * each
    t = TensorType(tuple(shape), draw(REAL))
    mask = t.with_shape((1, groups, 32, 32)) if draw(st.booleans()) else None
    weights = [t.with_shape((groups * each,)) if draw(st.booleans()) else None for _ in range(2)]
    attributes: dict[str, Any] = {"num_groups": groups, "epsilon": 0.5}
    if at != 3:
        attributes["channel_dim"] = draw(st.sampled_from((at, at - 4)))
    return Case(mnemonic, (t, mask, *weights), attributes)


@for_ops(training.Adamw)
def adamw(draw: Draw, mnemonic: str) -> Case:
    param = draw(tensors(REALS))
    state = [param.with_dtype(draw(REAL)) for _ in range(4)]
    numbers = {"lr": 0.5, "beta1": 0.75, "beta2": 0.5, "beta1_pow": 0.5, "beta2_pow": 0.25, "epsilon": 0.125}
    attributes = numbers | {"weight_decay": 0.25, "stochastic_rounding": draw(st.booleans())}
    return Case(mnemonic, (param, *state[:3], state[3] if draw(st.booleans()) else None), attributes)


def _heads(draw: Draw) -> tuple[list[TensorType], TensorType | None, dict[str, Any]]:
    """Query, key, value, of a batch or of one sample; a mask if any; and the attributes."""
    dtype, kind = draw(REAL), draw(st.sampled_from(("none", "causal", "arbitrary")))
    b, kv, groups, rows, columns, d = (draw(x) for x in (LEAD, LEAD, LEAD, SIDE, SIDE, SIDE))
    columns = rows if kind == "causal" else columns
    b = 1 if (alone := draw(st.booleans())) else b
    lead = () if alone else (b,)
    shapes = ((*lead, kv * groups, rows, d), (*lead, kv, columns, d), (*lead, kv, columns, d))
    mask = TensorType((draw(st.sampled_from((1, b))), 1, rows, columns), dtype) if kind == "arbitrary" else None
    return [TensorType(s, dtype) for s in shapes], mask, {"mask_type": kind}


@for_ops(training.SdpaFw)
def sdpa_fw(draw: Draw, mnemonic: str) -> Case:
    heads, mask, attributes = _heads(draw)
    if not draw(st.booleans()):
        return Case(mnemonic, (*heads, mask), attributes)
    sums = TensorType((*heads[0].shape[:-1], 32), draw(st.sampled_from((DType.F32, DType.BF16))))
    return Case(mnemonic, (*heads, mask), attributes | {"return_intermediates": True}, (heads[0], sums))


@for_ops(training.SdpaBw)
def sdpa_bw(draw: Draw, mnemonic: str) -> Case:
    (query, key, value), mask, attributes = _heads(draw)
    sums = TensorType((*query.shape[:-1], 32), DType.F32)
    usual = round(1.1 * query.shape[-1] ** 0.5 + math.log(key.shape[-2]))  # of elements from 0.1 to 2: weights near 1
    return Case(mnemonic, (query, query, query, key, value, sums, mask), attributes, fills={5: usual})


@for_ops(embedding.EmbeddingBackward)
def embedding_backward(draw: Draw, mnemonic: str) -> Case:
    rows, width, dtype = draw(SIDE), draw(SIDE), draw(REAL)
    index = draw(tensors((DType.I32, DType.UI32, DType.I64), most=3))
    weight = TensorType((*[1] * draw(st.integers(0, 2)), rows, width), dtype)
    return Case(mnemonic, (index, weight, TensorType((*index.shape, width), dtype)), bounds={0: rows})


def quantized(draw: Draw, shape: tuple[int, ...], expressed: DType, axis: int | None) -> QuantType:
    """A type for tensors of this shape, along that dimension if any."""
    storage, count = draw(STORED), 1 if axis is None else shape[axis]
    scales = tuple(draw(st.lists(SCALE, min_size=count, max_size=count)))
    low = 0 if storage.is_unsigned else -5
    zeros = tuple(draw(st.lists(st.integers(low, 5), min_size=count, max_size=count)))
    limits = (low, 100) if draw(st.booleans()) else None
    return QuantType(storage, expressed, scales, zeros, axis, limits)


def _axis_or_none(draw: Draw, rank: int) -> int | None:
    return draw(st.integers(0, rank - 1)) if rank and draw(st.booleans()) else None


@for_ops(quantization.Quantize, quantization.Dequantize, quantization.Requantize)
def quantization_of_types(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16), most=3))
    assert isinstance(t.dtype, DType)
    axis = _axis_or_none(draw, t.rank)
    first, second = (t.with_dtype(quantized(draw, t.shape, t.dtype, axis)) for _ in range(2))
    source, target = {"quantize": (t, first), "dequantize": (first, t), "requantize": (first, second)}[mnemonic]
    return Case(mnemonic, (source,), {}, target)


@for_ops(quantization.Unrolled)
def quantization_by_operands(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors((DType.F32, DType.BF16), most=3))
    assert isinstance(t.dtype, DType)
    axis = _axis_or_none(draw, t.rank)
    integers: list[ElementType] = [quantized(draw, t.shape, t.dtype, axis), draw(STORED)]
    first, second = (t.with_dtype(draw(st.sampled_from(integers))) for _ in range(2))
    forms = {"quantize": (t, first), "dequantize": (first, t), "requantize": (first, second)}
    source, target = forms[mnemonic.removesuffix("_unrolled")]
    pairs = 2 if mnemonic.startswith("re") else 1
    parameters = [_parameter(draw, t, axis, dtype) for _ in range(pairs) for dtype in (DType.F32, DType.I32)]
    attributes = {} if axis is None else {"axis": draw(st.sampled_from((axis, axis - t.rank)))}
    return Case(mnemonic, (source, *parameters), attributes, target)


def _parameter(draw: Draw, t: TensorType, axis: int | None, dtype: DType) -> TensorType:
    """One element, or one for each index of the dimension."""
    shapes = [(1,), ()] if axis is None else [(1,), (t.shape[axis],)]
    return TensorType(draw(st.sampled_from(shapes)), dtype)
