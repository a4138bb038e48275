"""What can be drawn for elementwise ops: shapes that broadcast, and element types that they take."""

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import F32, INTEGERS, NUMBERS, REALS, Draw, for_ops, shapes, spread
from ttstack.ops import OPS, Op, eltwise
from ttstack.ops.types import DType, TensorType

_NUMBERS_OF: dict[str, tuple[DType, ...]] = {
    **dict.fromkeys((m for m in OPS if "bitwise" in m or "shift" in m), INTEGERS),
    **dict.fromkeys(("abs", "neg", "relu", "sign", "square", "ceil", "floor", "trunc"), NUMBERS),
    **dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum", "div", "remainder"), NUMBERS),
    **dict.fromkeys((m for m in OPS if "logical" in m and "shift" not in m), (*NUMBERS, DType.I1)),
    **dict.fromkeys(("eq", "ne", "ge", "gt", "le", "lt", "isfinite"), NUMBERS),
}


def _dtype(draw: Draw, mnemonic: str) -> DType:
    return draw(st.sampled_from(_NUMBERS_OF.get(mnemonic, REALS)))


def _eltwise_attributes(draw: Draw, spec: type[Op]) -> dict[str, Any]:
    values: dict[str, st.SearchStrategy[Any]] = {
        "parameter": F32,
        "scale": F32,
        "alpha": F32,
        "min": st.one_of(F32, st.integers(-3, 0)),
        "max": st.one_of(F32, st.integers(1, 3)),
        "approximate": st.sampled_from(("none", "tanh")),
        "conservative_folding": st.booleans(),
    }
    return {n: draw(values[n]) for n, a in spec.attribute_specs().items() if a.required or draw(st.booleans())}


@for_ops(eltwise.Eltwise)
def _eltwise(draw: Draw, mnemonic: str) -> Case:
    spec, out, dtype = OPS[mnemonic], draw(shapes()), _dtype(draw, mnemonic)
    count = len(spec.operand_specs())
    operands = [TensorType(out, dtype)] + [TensorType(spread(draw, out), dtype) for _ in range(count - 1)]
    attributes = _eltwise_attributes(draw, spec)
    return Case(mnemonic, tuple(draw(st.permutations(operands))), attributes)


@for_ops(eltwise.ActivatedBinary)
def _activated(draw: Draw, mnemonic: str) -> Case:
    out, dtype = draw(shapes()), draw(st.sampled_from(REALS))
    operands = draw(st.permutations([TensorType(out, dtype), TensorType(spread(draw, out), dtype)]))
    names = st.sampled_from(("", "relu", "tanh", "sigmoid"))
    attributes = {place: draw(names) for place in ("lhs_activation", "rhs_activation", "activation")}
    return Case(mnemonic, tuple(operands), attributes)


@for_ops(eltwise.Predicate, eltwise.EltwiseComparison)
def _test(draw: Draw, mnemonic: str) -> Case:
    case = _eltwise(draw, mnemonic)
    dtype = draw(st.sampled_from((DType.I1, DType.BF16, DType.I32, case.present[0].dtype)))
    shape = max((t.shape for t in case.present), key=lambda s: (math.prod(s), len(s)))
    out = TensorType(np.broadcast_shapes(shape, *(t.shape for t in case.present)), dtype)
    return Case(mnemonic, case.operands, case.attributes, out)


@for_ops(eltwise.BitcastConvert)
def _bitcast(draw: Draw, mnemonic: str) -> Case:
    pairs = ((DType.F32, DType.I32), (DType.BF16, DType.UI16), (DType.UI32, DType.F32), (DType.I64, DType.F64))
    source, target = draw(st.sampled_from(pairs))
    extents = draw(shapes())
    return Case(mnemonic, (TensorType(extents, source),), {}, TensorType(extents, target))


@for_ops(eltwise.Where)
def _where(draw: Draw, mnemonic: str) -> Case:
    case = _eltwise(draw, mnemonic)
    condition = draw(st.sampled_from((DType.I1, DType.BF16, DType.I32)))
    first, *rest = case.present
    return Case(mnemonic, (first.with_dtype(condition), *rest))
