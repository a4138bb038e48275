"""Tensors as values of `linalg` on tensors: loops over elements, reductions, views, gathers.

Ops are built at the current insertion point. Integers are signless in memory; `Dense.dtype` has the sign.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, cast

import numpy as np

from ttstack.mlir import arith, ir, linalg, tensor
from ttstack.ops.types import DType, ElementType, TensorType, storage_of
from ttstack.passes.ttir_to_linalg import scalars
from ttstack.passes.ttir_to_linalg.reshaped import collapse_and_expand
from ttstack.passes.ttir_to_linalg.scalars import Number, Scalar

Body = Callable[..., Scalar]
"""Takes an element of each operand, and returns an element of the result."""


def memory_type(t: TensorType) -> ir.RankedTensorType:
    """Return the tensor's type with signless integers."""
    return ir.RankedTensorType.get(list(t.shape), scalars.memory_element(storage_of(t.dtype)))


@dataclass(frozen=True)
class Dense:
    """A tensor of static shape."""

    value: ir.Value
    shape: tuple[int, ...]
    dtype: DType

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def at(self, indices: Sequence[ir.Value]) -> Scalar:
        """Return the element at indices of type `index`, inside a loop."""
        return scalars.load(tensor.extract(self.value, list(indices)), self.dtype)

    def reshape(self, *shape: int) -> "Dense":
        """Reshape in row-major order; one extent can be -1."""
        if -1 in shape:
            known = prod(n for n in shape if n != -1)
            shape = tuple(self.size // known if n == -1 else n for n in shape)
        return self if shape == self.shape else Dense(collapse_and_expand(self.value, shape), shape, self.dtype)

    def transpose(self, order: Sequence[int]) -> "Dense":
        """Permute: dimension `i` of the result is dimension `order[i]` of this one."""
        order = tuple(order)
        if order == tuple(range(self.rank)):
            return self
        if (before := _transposed(self.value)) is not None:
            source, earlier = before
            shape = tuple(source.type.shape)
            return Dense(source, shape, self.dtype).transpose([earlier[i] for i in order])
        shape = tuple(self.shape[i] for i in order)
        if _keeps_order(self.shape, order):
            return self.reshape(*shape)
        made = linalg.transpose(self.value, outs=[empty(shape, self.dtype)], permutation=list(order))
        return Dense(_result(made), shape, self.dtype)

    def slice(self, begins: Sequence[int], sizes: Sequence[int], steps: Sequence[int] | None = None) -> "Dense":
        """Return the slice that begins at `begins` and has `sizes` elements, `steps` apart."""
        steps = [1] * self.rank if steps is None else list(steps)
        if tuple(sizes) == self.shape:
            return self
        kind = ir.RankedTensorType.get(list(sizes), scalars.memory_element(self.dtype))
        made = tensor.extract_slice(kind, self.value, [], [], [], list(begins), list(sizes), steps)
        return Dense(made, tuple(sizes), self.dtype)

    def put(self, part: "Dense", begins: Sequence[int], steps: Sequence[int] | None = None) -> "Dense":
        """Return this tensor with a slice replaced."""
        if not part.size:
            return self
        steps = [1] * self.rank if steps is None else list(steps)
        made = tensor.insert_slice(part.value, self.value, [], [], [], list(begins), list(part.shape), steps)
        return Dense(made, self.shape, self.dtype)

    def replace_element(self, x: Scalar, indices: Sequence[ir.Value]) -> "Dense":
        """Return this tensor with one element replaced, at indices of type `index`, inside a loop."""
        return replace(self, value=tensor.insert(scalars.store(x, self.dtype), self.value, list(indices)))

    def broadcast(self, shape: Sequence[int]) -> "Dense":
        """Broadcast to a shape, as NumPy does."""
        return self if tuple(shape) == self.shape else elementwise(lambda x: x, [self], self.dtype, tuple(shape))

    def cast(self, target: ElementType) -> "Dense":
        """Convert to another element type."""
        dtype = storage_of(target)
        if dtype is self.dtype:
            return self
        if not dtype.is_float and not self.dtype.is_float and dtype.bits == self.dtype.bits:
            return Dense(self.value, self.shape, dtype)
        return elementwise(lambda x: x, [self], dtype)

    def wide(self) -> "Dense":
        """Convert to the element type of computations."""
        return self.cast(scalars.wide_type(self.dtype))


def of(value: ir.Value, t: TensorType) -> Dense:
    """Return an MLIR value as a tensor of a program."""
    return Dense(value, t.shape, storage_of(t.dtype))


def empty(shape: Sequence[int], dtype: DType) -> ir.Value:
    """Return an uninitialized tensor."""
    return tensor.empty(list(shape), scalars.memory_element(dtype))


def full(shape: Sequence[int], number: Number, dtype: DType) -> Dense:
    """Return a tensor filled with a number."""
    value = scalars.constant(number, dtype).value
    return Dense(_result(linalg.fill(value, outs=[empty(shape, dtype)])), tuple(shape), dtype)


def literal(array: np.ndarray[Any, Any], dtype: DType) -> Dense:
    """Return a constant tensor."""
    plain = np.ascontiguousarray(array)
    kind = ir.RankedTensorType.get(list(plain.shape), scalars.memory_element(dtype))
    if dtype is DType.I1:
        return elementwise(lambda x: x, [literal(plain.astype(np.int8), DType.I8)], DType.I1)
    bits = plain.astype(dtype.numpy, copy=False)
    letter = "u" if dtype.is_float else "i"
    if not dtype.is_float or dtype.bits < 32:
        bits = bits.view(f"{letter}{bits.itemsize}")
    attribute = ir.DenseElementsAttr.get(cast(Any, bits), type=kind.element_type, shape=list(plain.shape))
    return Dense(arith.constant(kind, attribute), plain.shape, dtype)


def broadcast_shapes(*tensors: Dense) -> tuple[int, ...]:
    """Return the shape that all broadcast to."""
    return np.broadcast_shapes(*(t.shape for t in tensors))


def elementwise(body: Body, operands: Sequence[Dense], dtype: ElementType, shape: Sequence[int] | None = None) -> Dense:
    """Compute an element from the operands' elements at the same position, broadcast as in NumPy."""
    (found,) = elementwise_all(lambda *x: (body(*x),), operands, (storage_of(dtype),), shape)
    return found


def elementwise_all(
    body: Callable[..., Sequence[Scalar]],
    operands: Sequence[Dense],
    dtypes: Sequence[DType],
    shape: Sequence[int] | None = None,
) -> list[Dense]:
    """Compute the same with several results."""
    extents = tuple(broadcast_shapes(*operands) if shape is None else shape)
    inputs = [_without_ones(t, extents) for t in operands]
    maps = [m for _, m in inputs] + [ir.AffineMap.get_identity(len(extents))] * len(dtypes)

    def inside(arguments: Sequence[ir.Value]) -> list[ir.Value]:
        found = body(*(scalars.load(a, t.dtype) for a, t in zip(arguments, operands, strict=False)))
        return [scalars.store(x, dtype) for x, dtype in zip(found, dtypes, strict=True)]

    made = generic([v for v, _ in inputs], [empty(extents, d) for d in dtypes], maps, [False] * len(extents), inside)
    return [Dense(v, extents, d) for v, d in zip(made, dtypes, strict=True)]


def reread(x: Dense, dtype: DType) -> Dense:
    """Reinterpret the bits as another element type of the same width."""
    identity = ir.AffineMap.get_identity(x.rank)
    if scalars.memory_element(dtype) == scalars.memory_element(x.dtype):
        return Dense(x.value, x.shape, dtype)

    def inside(arguments: Sequence[ir.Value]) -> list[ir.Value]:
        return [arith.bitcast(scalars.memory_element(dtype), arguments[0])]

    (made,) = generic([x.value], [empty(x.shape, dtype)], [identity, identity], [False] * x.rank, inside)
    return Dense(made, x.shape, dtype)


def generate(body: Callable[[list[ir.Value]], Scalar], shape: Sequence[int], dtype: DType) -> Dense:
    """Compute each element from its indices, of type `index`."""
    rank = len(shape)

    def inside(_: Sequence[ir.Value]) -> list[ir.Value]:
        return [scalars.store(body([linalg.IndexOp(i).result for i in range(rank)]), dtype)]

    (made,) = generic([], [empty(shape, dtype)], [ir.AffineMap.get_identity(rank)], [False] * rank, inside)
    return Dense(made, tuple(shape), dtype)


def generic(
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    maps: Sequence[ir.AffineMap],
    reduces: Sequence[bool],
    inside: Callable[[Sequence[ir.Value]], Sequence[ir.Value]],
) -> list[ir.Value]:
    """Build a `linalg.generic` from its loops, reductions and body."""
    names = ir.ArrayAttr.get(
        [ir.Attribute.parse(f"#linalg.iterator_type<{'reduction' if r else 'parallel'}>") for r in reduces]
    )
    op = linalg.GenericOp(
        [v.type for v in outputs],
        list(inputs),
        list(outputs),
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        names,
    )
    elements = [v.type.element_type for v in (*inputs, *outputs)]
    block = op.regions[0].blocks.append(*elements)
    with ir.InsertionPoint(block):
        linalg.YieldOp(list(inside(list(block.arguments))))
    return list(op.results)


def loops_of(rank: int, dimensions: Sequence[int]) -> ir.AffineMap:
    """Return the map of a tensor with a dimension for each of these loops."""
    return ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in dimensions])


def _without_ones(x: Dense, extents: Sequence[int]) -> tuple[ir.Value, ir.AffineMap]:
    """Return the value without broadcast dimensions, and the loops over the others."""
    shift = len(extents) - x.rank
    kept = [i for i, n in enumerate(x.shape) if n == extents[i + shift]]
    small = x.reshape(*(x.shape[i] for i in kept)) if len(kept) < x.rank else x
    return small.value, loops_of(len(extents), [i + shift for i in kept])


def _keeps_order(shape: Sequence[int], order: Sequence[int]) -> bool:
    """Return True if only unit dimensions are moved."""
    moved = [i for i in order if shape[i] != 1]
    return moved == sorted(moved)


def _transposed(value: ir.Value) -> tuple[ir.Value, list[int]] | None:
    """Return the source of a transpose, and its order."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "linalg.transpose":
        return None
    return owner.operands[0], list(ir.DenseI64ArrayAttr(owner.attributes["permutation"]))


def _result(made: ir.Value | ir.OpView) -> ir.Value:
    """Return the result of a named-op builder, which returns the op or the value."""
    return made if isinstance(made, ir.Value) else made.results[0]
