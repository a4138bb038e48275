"""Results whose element type differs from the inferred one, which TTIR allows for most ops, as typecasts.

An op computes in the widest element type of its operands and result, so that `mean` of integers keeps fractions if its
result is real.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.types import DType, ElementType, QuantType, TensorType


@dataclass(frozen=True)
class InferredOp:
    """An op with the operand types that it computes on and the result types that it infers."""

    op: Op
    computed_in: ElementType | None = None
    """The element type that operands of `Op.computes` are cast to first; None without a cast."""


def conversion(
    spec: type[Op], operands: Sequence[TensorType | None], attributes: Mapping[str, Any], spelled: Sequence[TensorType]
) -> InferredOp:
    """Return the op behind results of the declared types; raise `ValueError` if operands do not fit.

    The caller checks with `is_spelling` that casts alone lead to the declared results.
    """
    direct, fault = _directly(spec, operands, attributes, spelled)
    if (
        direct is not None
        and direct.results == tuple(spelled)
        and [isinstance(t.dtype, DType) for t in spelled] == [True]
    ):
        return InferredOp(direct)
    places = [place in (spec.computes or ()) for place in spec.places(len(operands))]
    values = [t.dtype for t, computed in zip(operands, places, strict=True) if t is not None and computed]
    plain = [dtype for dtype in values if isinstance(dtype, DType)]
    wanted = [t.dtype for t in spelled if isinstance(t.dtype, DType)] if len(spelled) == 1 else []
    common = widest([*plain, *wanted]) if plain else None
    if fault is not None and len(set(plain)) < 2:
        raise fault
    if direct is not None and (common is None or {t.dtype for t in direct.results} & {common, *wanted}):
        return InferredOp(direct)
    pairs = zip(operands, places, strict=True)
    cast = [t.with_dtype(common) if t is not None and common and computed else t for t, computed in pairs]
    return InferredOp(spec.on(cast, attributes, *spelled), common)


def _directly(
    spec: type[Op], operands: Sequence[TensorType | None], attributes: Mapping[str, Any], spelled: Sequence[TensorType]
) -> tuple[Op | None, ValueError | None]:
    """Return the op on unchanged operands with inferred results, or the error."""
    try:
        op = spec.on(operands, attributes, *spelled)
        _ = op.results
    except ValueError as e:
        return None, e
    return op, None


def is_spelling(spec: type[Op], spelled: TensorType, inferred: TensorType) -> bool:
    """Return True if a result of type `inferred` can be declared as `spelled`."""
    same = spelled.shape == inferred.shape or (spec.scalar_as_vector and (spelled.shape, inferred.shape) == ((1,), ()))
    if not same or spelled.dtype == inferred.dtype:
        return same
    return spec.computes is not None and not any(isinstance(t.dtype, QuantType) for t in (spelled, inferred))


def widest(dtypes: Sequence[DType]) -> DType:
    """Return the element type that holds all values of these: reals before integers.

    32 bits if two 16-bit types differ. Integers with and without sign give a signed type of twice the width; integers
    with 16-bit reals are computed in f32.
    """
    if len(set(dtypes)) == 1:
        return dtypes[0]
    reals = [d for d in dtypes if d.is_float]
    found = [d for d in (reals or dtypes) if d.bits == max(e.bits for e in (reals or dtypes))]
    if reals:
        exact = len(set(found)) == 1 and (len(reals) == len(dtypes) or found[0].bits >= DType.F32.bits)
        return found[0] if exact else DType.F32
    if len({d.is_unsigned for d in found}) == 1:
        return found[-1]
    return DType(f"i{min(2 * found[0].bits, 64)}")
