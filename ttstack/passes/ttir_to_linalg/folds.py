"""Loops with carried values: reductions and scans."""

from collections.abc import Callable, Sequence

from ttstack.mlir import ir, linalg
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg import scalars
from ttstack.passes.ttir_to_linalg.scalars import Number, Scalar
from ttstack.passes.ttir_to_linalg.tensors import Body, Dense, empty, full, generic, loops_of


def reduce(body: Body, x: Dense, axes: Sequence[int], start: Number, dtype: DType, *, keep: bool = False) -> Dense:
    """Reduce `axes` into `start`, in any order: `body(so far, element)`."""
    kept = [i for i in range(x.rank) if i not in axes]
    shape = tuple(x.shape[i] for i in kept)
    first = full(shape, start, dtype)
    maps = [ir.AffineMap.get_identity(x.rank), loops_of(x.rank, kept)]

    def inside(arguments: Sequence[ir.Value]) -> list[ir.Value]:
        element, total = scalars.load(arguments[0], x.dtype), Scalar(arguments[1], dtype)
        return [body(total, scalars.cast(element, dtype)).value]

    (made,) = generic([x.value], [first.value], maps, [i in axes for i in range(x.rank)], inside)
    found = Dense(made, shape, dtype)
    return found.reshape(*(1 if i in axes else n for i, n in enumerate(x.shape))) if keep else found


def fold(
    body: Callable[..., Sequence[Scalar]],
    operands: Sequence[Dense],
    axis: int,
    starts: Sequence[Number],
    dtypes: Sequence[DType],
    *,
    every: bool = False,
) -> list[Dense]:
    """Reduce one axis of several operands with several results: `body(so far, elements, index along the axis)`.

    With `every`, results keep the axis and have all intermediate values: a scan.
    """
    shape = operands[0].shape
    rank, kept = len(shape), [i for i in range(len(shape)) if i != axis]
    first = [full([shape[i] for i in kept], s, d) for s, d in zip(starts, dtypes, strict=True)]
    outs = [empty(shape, d) for d in dtypes] if every else []
    identity = ir.AffineMap.get_identity(rank)
    maps = [identity] * (len(operands) + len(outs)) + [loops_of(rank, kept)] * len(first)

    def inside(arguments: Sequence[ir.Value]) -> list[ir.Value]:
        elements = [scalars.load(a, t.dtype) for a, t in zip(arguments, operands, strict=False)]
        states = [Scalar(a, d) for a, d in zip(arguments[len(operands) + len(outs) :], dtypes, strict=True)]
        found = [
            scalars.store(x, d)
            for x, d in zip(body(states, elements, linalg.IndexOp(axis).result), dtypes, strict=True)
        ]
        return found * 2 if every else found

    inputs, results = [t.value for t in operands], [*outs, *(t.value for t in first)]
    made = generic(inputs, results, maps, [i == axis for i in range(rank)], inside)
    extents = shape if every else first[0].shape
    return [Dense(v, extents, d) for v, d in zip(made, dtypes, strict=False)]
