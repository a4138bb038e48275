"""Merging of query, key and value projections: concatenated weights, and one op that splits the result into heads."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.attention import SplitHeads, SplitQueryKeyValueAndSplitHeads, SplitQueryKeyValueDecode
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.shape import Reshape
from ttstack.ops.types import TILE
from ttstack.passes.functions import body
from ttstack.passes.rewriting.candidates import Canonical, GroupCandidate, Replacement
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.merged_matmul import earliest, has_known_columns, hoist, side_by_side
from ttstack.passes.ttir.queries.aliases import pure_source, unshared_source
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES
from ttstack.passes.ttir.queries.producers import find_producer

_THREE = 3
"""Queries, keys and values."""


@dataclass(frozen=True)
class _Projection:
    """A matmul with constant weights whose only uses are its heads."""

    product: ir.Operation
    split: ir.Operation
    matmul: Matmul
    lead: tuple[int, ...]
    """The dimensions before columns that the op for all heads expects."""
    heads: int
    permutation: tuple[int, ...] = ()
    """The permutation of rows before the split into heads, if any."""
    of_tokens: bool = False
    """True if they are heads of one token per user."""
    transposed: bool = False
    """True if heads have columns before rows, such as keys whose scores are a matmul."""

    @property
    def width(self) -> int:
        """The number of columns of a head."""
        return self.matmul.mnk[1] // self.heads

    @property
    def weight(self) -> ir.Value:
        """The second operand."""
        return self.product.operands[1]


@rewrite(
    "merge-qkv-matmuls",
    if_faster=True,
    stage=Stage.PARALLEL,
    before={"canonicalize-movement": "heads that one op splits need no movement"},
)
def merge_qkv_matmuls(function: func.FuncOp) -> Iterator[Sequence[GroupCandidate]]:
    """`heads(x @ q), heads(x @ k), heads(x @ v)` = `heads(x @ [q k v])`, by one op that splits all heads.

    The concatenated weights are a new parameter, computed at compile time. Heads of one token per user, which a reshape
    splits, are merged if predicted to be faster.
    """
    for projections in _siblings(function):
        if sum(p.matmul.b.nbytes for p in projections) <= MOST_FOLDED_BYTES:
            build = partial(_merge, projections)
            yield [build if projections[0].of_tokens else Canonical(build)]


def _siblings(function: func.FuncOp) -> list[list[_Projection]]:
    """Return groups of queries with their keys and values, in this order."""
    groups: dict[Hashable, list[_Projection]] = {}
    for op in body(function):
        finder = _FINDERS.get(op.name)
        if finder is not None and (projection := finder(op)) is not None:
            groups.setdefault(_shared(projection), []).append(projection)
    ordered = (_in_roles(group) for group in groups.values() if len(group) == _THREE)
    return [group for group in ordered if group[1].heads == group[2].heads and not group[2].transposed]


def _in_roles(group: Sequence[_Projection]) -> list[_Projection]:
    """Return queries, which have the most heads, keys, which may be transposed, and values."""
    straight = sorted((p for p in group if not p.transposed), key=lambda p: -p.heads)
    return [*straight[:1], *(p for p in group if p.transposed), *straight[1:]]


def _projection(split: ir.Operation) -> _Projection | None:
    heads = definition_of(split)
    assert isinstance(heads, SplitHeads)
    value, permutation = _in_order(unshared_source(split.operands[0]))
    product, matmul = _product(value)
    if product is None or matmul is None:
        return None
    rows = heads.input.shape[-1] == matmul.mnk[1] and heads.input.shape[1] > 1
    if not rows or (permutation and matmul.transpose_a):
        return None
    return _Projection(product, split, matmul, heads.input.shape[:2], heads.num_heads, permutation)


def _reshaped(split: ir.Operation) -> _Projection | None:
    """Return heads that a reshape splits: of one token per user, or of transposed keys."""
    return _of_tokens(split) or _transposed(split)


def _of_tokens(split: ir.Operation) -> _Projection | None:
    """Return heads of one token per user, [1, users, heads, width], as rows of tiles, as the library's kernel does."""
    shape = read_type(split.results[0].type).shape
    if len(shape) != len("1uhw") or shape[0] != 1 or not 0 < shape[1] <= TILE or shape[3] % TILE or 0 in shape:
        return None
    product, matmul = _product(unshared_source(split.operands[0]))
    if product is None or matmul is None or matmul.transpose_a or matmul.mnk[1] != shape[2] * shape[3]:
        return None
    return _Projection(product, split, matmul, shape[:2], shape[2], of_tokens=True)


def _transposed(split: ir.Operation) -> _Projection | None:
    """Return heads with columns before rows, [batch, heads, width, rows]; batch and heads may be merged."""
    turn = find_producer(split.operands[0], "permute")
    shape = read_type(split.results[0].type).shape
    if turn is None or len(list(split.operands[0].uses)) > 1 or len(shape) < len("hwr") or 0 in shape:
        return None
    permutation = definition_of(turn)
    assert isinstance(permutation, Permutation)
    *lead, columns = permutation.input.shape
    product, matmul = _product(unshared_source(turn.operands[0]))
    if permutation.order != (0, 2, 1) or product is None or matmul is None or matmul.mnk[1] != columns:
        return None
    heads = columns // shape[-2]
    whole = shape in ((lead[0], heads, *shape[-2:]), (lead[0] * heads, *shape[-2:])) and shape[-1] == lead[1] > 1
    return _Projection(product, split, matmul, tuple(lead), heads, transposed=True) if whole else None


def _product(value: ir.Value) -> tuple[ir.Operation, Matmul] | tuple[None, None]:
    """Return the matmul by constant weights that makes a value with one use; otherwise None."""
    product = pure_producer(value)
    matmul = None if product is None or len(list(value.uses)) > 1 else definition_of(product)
    if product is None or not isinstance(matmul, Matmul) or not has_known_columns(product, matmul):
        return None, None
    return product, matmul


_FINDERS: dict[str, Callable[[ir.Operation], _Projection | None]] = {
    f"ttir.{SplitHeads.mnemonic}": _projection,
    f"ttir.{Reshape.mnemonic}": _reshaped,
}
"""The function that finds a projection, by the op that splits its heads."""


def _in_order(value: ir.Value) -> tuple[ir.Value, tuple[int, ...]]:
    """Return the value before a permutation of rows without other uses, and the permutation."""
    turn = find_producer(value, "permute")
    if turn is None or len(list(value.uses)) > 1:
        return value, ()
    permutation = definition_of(turn)
    assert isinstance(permutation, Permutation)
    keeps_columns = permutation.order[-1] == permutation.input.rank - 1
    return (turn.operands[0], permutation.order) if keeps_columns else (value, ())


def _shared(projection: _Projection) -> tuple[Hashable, ...]:
    """Return the properties that projections must share to become one: the same rows, perhaps viewed in two shapes."""
    p, matmul, rows = projection, projection.matmul, pure_source(projection.product.operands[0])
    kinds = matmul.transpose_a, matmul.transpose_b, matmul.b.dtype
    shape = matmul.a.shape if matmul.transpose_a else matmul.a.shape[-1:]
    return (rows, matmul.a.dtype, shape, p.of_tokens, p.lead, p.width, p.permutation, *kinds)


def _merge(projections: Sequence[_Projection]) -> Replacement:
    query, keys, _ = projections
    products, operand = [p.product for p in projections], query.product.operands[0]
    hoist(operand, earliest(products))  # a view of what all of them read
    with ir.InsertionPoint(earliest(products)), query.product.location:
        operand = permute_dims(operand, query.permutation) if query.permutation else operand
        merged = side_by_side(operand, products)
        rows = reshape_to(merged, (*query.lead, read_type(merged.type).shape[-1]))
        counts = {"num_heads": query.heads, "num_kv_heads": keys.heads}
        with query.split.location:
            if query.of_tokens:
                heads = create("ttir", SplitQueryKeyValueDecode.mnemonic, [rows], counts)
            else:
                kinds = counts | {"transpose_key": keys.transposed}
                heads = create("ttir", SplitQueryKeyValueAndSplitHeads.mnemonic, [rows], kinds)
            return {
                p.split.results[0]: reshape_to(result, read_type(p.split.results[0].type).shape)
                for p, result in zip(projections, heads.results, strict=True)
            }
