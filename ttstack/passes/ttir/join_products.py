"""Products of one operand as one: weights side by side, and one op that splits the result into heads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.dialects.base import create, describe
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.attention import SplitHeads
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.pattern import producer
from ttstack.passes.ttir.compile_time import is_known
from ttstack.passes.ttir.producers import find_producer
from ttstack.passes.ttir.views import VIEWS

_THREE = 3
"""Queries, keys and values."""


@dataclass(frozen=True)
class _Projection:
    """A product with weights that are known, of which nothing but its heads is read."""

    product: ir.Operation
    split: ir.Operation
    matmul: Matmul
    heads: int
    turned: tuple[int, ...]
    """The order in which rows are taken for heads, where that is not theirs."""

    @property
    def width(self) -> int:
        """Columns of a head."""
        return read_type(self.split.results[0].type).shape[-1]

    @property
    def weight(self) -> ir.Value:
        """The second operand."""
        return self.product.operands[1]

    @property
    def bias(self) -> ir.Value | None:
        """What is added to each row."""
        return self.product.operands[2] if len(self.product.operands) == _THREE else None


class JoinProducts(Pass, name="join-products"):
    """Queries, keys and values that are products of one operand become one product, and their heads one op.

    The weights lie side by side in a parameter of their own, which is made before the program runs.
    """

    max_bytes: int = 1 << 28
    """Weights that are larger together stay apart."""

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        for function in functions(module):
            for projections in _siblings(function):
                if sum(read_type(p.weight.type).nbytes for p in projections) <= self.max_bytes:
                    _join(projections)


def _siblings(function: func.FuncOp) -> list[list[_Projection]]:
    """Queries with the keys and values beside them, in this order."""
    found: dict[Any, list[_Projection]] = {}
    for op in body(function):
        if op.name == f"ttir.{SplitHeads.mnemonic}" and (projection := _projection(op)) is not None:
            found.setdefault(_shared(projection), []).append(projection)
    ordered = (sorted(group, key=lambda p: -p.heads) for group in found.values() if len(group) == _THREE)
    return [group for group in ordered if group[1].heads == group[2].heads]


def _projection(split: Any) -> _Projection | None:
    heads = describe(split)
    assert isinstance(heads, SplitHeads)
    value, turned = _in_order(_behind(split.operands[0]))
    product = producer(value)
    matmul = None if product is None or len(list(value.uses)) > 1 else describe(product)
    if product is None or not isinstance(matmul, Matmul) or matmul.activation or matmul.b.rank != 2:
        return None
    rows = matmul.a.rank > 1 and matmul.adds_row and heads.input.shape[-1] == matmul.mnk[1] and heads.input.shape[1] > 1
    known = all(is_known(v) for v in list(product.operands)[1:])
    fits = not (turned and matmul.transpose_a)
    return _Projection(product, split, matmul, heads.num_heads, turned) if rows and known and fits else None


def _behind(value: ir.Value) -> ir.Value:
    """The value in the shape that it had before, where nothing else reads it in this one."""
    while len(list(value.uses)) == 1 and getattr(producer(value), "name", "") in VIEWS:
        value = producer(value).operands[0]
    return value


def _in_order(value: ir.Value) -> tuple[ir.Value, tuple[int, ...]]:
    """The value before its rows were put into another order, where nothing else reads it in this one, and the order."""
    turn = find_producer(value, "permute")
    if turn is None or len(list(value.uses)) > 1:
        return value, ()
    permutation = describe(turn)
    assert isinstance(permutation, Permutation)
    keeps_columns = permutation.order[-1] == permutation.input.rank - 1
    return (turn.operands[0], permutation.order) if keeps_columns else (value, ())


def _shared(projection: _Projection) -> tuple[Any, ...]:
    """What projections have in common that can be one."""
    matmul, split = projection.matmul, projection.split
    lead = read_type(split.operands[0].type).shape[:2]
    kinds = matmul.transpose_a, matmul.transpose_b, matmul.b.dtype
    return (projection.product.operands[0], lead, projection.width, projection.turned, *kinds)


def _join(projections: Sequence[_Projection]) -> None:
    first = projections[0].product
    for projection in projections:
        first = projection.product if projection.product.is_before_in_block(first) else first
    for value in (v for p in projections for v in list(p.product.operands)[1:]):
        _hoist(value, first)
    query = projections[0]
    with ir.InsertionPoint(first), query.product.location:
        joined = _product(projections)
        batch, length, _ = read_type(query.split.operands[0].type).shape
        rows = reshape_to(joined, (batch, length, read_type(joined.type).shape[-1]))
        counts = {"num_heads": query.heads, "num_kv_heads": projections[1].heads, "transpose_key": False}
        with query.split.location:
            heads = create("ttir", "split_query_key_value_and_split_heads", [rows], counts)
    for projection, result in zip(projections, heads.results, strict=True):
        projection.split.results[0].replace_all_uses_with(result)
        projection.split.erase()


def _product(projections: Sequence[_Projection]) -> ir.Value:
    """One product with all weights, and all biases where there are any."""
    shared = projections[0].matmul
    turned: dict[str, Any] = {"transpose_a": shared.transpose_a, "transpose_b": shared.transpose_b}
    weight = ttir.concat(*[p.weight for p in projections], dim=0 if shared.transpose_b else 1)
    operand, order = projections[0].product.operands[0], projections[0].turned
    operand = permute_dims(operand, order) if order else operand
    if all(p.bias is None for p in projections):
        return ttir.matmul(operand, weight, **turned)
    return ttir.linear(operand, weight, ttir.concat(*map(_row, projections), dim=0), **turned)


def _hoist(value: Any, before: ir.Operation) -> None:
    """Let what is known stand before an op, as parameters do."""
    made_by = value.owner
    if isinstance(made_by, ir.Block) or made_by.is_before_in_block(before):
        return
    for operand in made_by.operands:
        _hoist(operand, before)
    made_by.move_before(before)


def _row(projection: _Projection) -> ir.Value:
    """The bias of a projection, zeros where it has none."""
    columns = (projection.matmul.mnk[1],)
    if projection.bias is not None:
        return reshape_to(projection.bias, columns)
    result = TensorType(columns, projection.matmul.b.dtype)
    return ttir.full(result=result, shape=columns, fill_value=0.0)
