"""Folding of gathered columns before a matmul into zeros in its weights."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import accumulate

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.op_groups import outside_operands
from ttstack.dialects.signature import erase_unused_parameters, read_arguments
from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.base import ParameterPass
from ttstack.passes.dataflow import Facts
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.candidates import Declined, choose
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.matmuls.gathered_columns import (
    MOVED,
    Array,
    GatheredColumns,
    gathered_columns,
    has_same_rows,
    is_finite_with,
    transposition,
)
from ttstack.passes.ttir.matmuls.merged_matmul import has_known_columns
from ttstack.passes.ttir.movement.reshape_by_head_ops import reshape_by_head_ops
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.compile_time import elements, is_constant, parameters
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS
from ttstack.passes.ttir.queries.producers import MATMULS, concat_dim

_MOST_BYTES = 1 << 26
"""Maximum size of new weights."""
_MOST_REPEATS = 4
"""Maximum number of times that a column is gathered."""


class FoldGatherIntoWeights(ParameterPass, name="fold-gather-into-weights", optional=True, stage=Stage.MATMULS):
    """`matmul(gather(x, columns), w)` = `matmul(x, w')`, whose `w'` has zeros for the columns that are not gathered.

    The matmul of all pairs of features then enters the next layer without reordering. The columns must be compile-time
    constants, and other columns must be computed from the same numbers, as zero times infinity is not zero. A module
    without a device is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite matmuls with constant matrices."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            constants = self._constants(function)
            for op in body(function):
                if op.name in MATMULS and self._fold(function, op, constants, prices):
                    constants = self._constants(function)

    def _fold(self, function: func.FuncOp, op: ir.Operation, constants: Facts[Array | None], prices: Prices) -> bool:
        """Fold the gather of a matmul's columns into its weights; return True on success."""
        matmul = definition_of(op)
        assert isinstance(matmul, Matmul)
        if matmul.transpose_a or not matmul.a.dtype.is_float or not has_known_columns(op, matmul):
            return False
        gathered = gathered_columns(op.operands[0], constants)
        if not gathered or not all(map(is_finite_with, gathered)):
            return False
        inside = _exclusive_values(op, [part.source for part in gathered])
        candidates = [partial(_build, op, matmul, r) for r in readings(gathered, inside) if _fits(r, matmul)]
        with insert_before(op):
            result = choose(op, lambda _: candidates, partial(prices.of_ops, steps=[_by_head_ops(prices)]))
        if result is None or isinstance(result, Declined):
            return False
        parameter_facts = parameters()
        deciding = {p for value in _leaves(op, inside) for p in parameter_facts.about(value) or ()}
        op.results[0].replace_all_uses_with(result[0])
        op.erase()
        for maker in filter(None, map(defining_op, inside)):
            if not list(maker.results[0].uses):
                maker.erase()
        names = [argument.name for argument in read_arguments(function)]
        self._weights.fix(names[p.arg_number] for p in deciding if not read_type(p.type).dtype.is_float)
        erase_unused_parameters(function, {names[p.arg_number] for p in deciding})
        refresh_signature(function)
        return True

    def _constants(self, function: func.FuncOp) -> Facts[Array | None]:
        names = [argument.name for argument in read_arguments(function)]

        def constant_array(argument: ir.BlockArgument) -> Array | None:
            return self._weights.arrays.get(names[argument.arg_number]) if is_constant(argument) else None

        return elements(given=constant_array)


@dataclass(frozen=True, eq=False)
class SourceRows:
    """Rows of a source of gathered columns."""

    gathered: GatheredColumns
    positions: Array
    """The element of a row for each column."""
    shape: tuple[int, ...]
    """The shape of rows as built, before they become matrix rows."""
    build: Callable[[], ir.Value]

    @property
    def width(self) -> int:
        """The number of elements of a row."""
        return math.prod(self.shape)

    def rows(self, lead: Sequence[int]) -> ir.Value:
        """Build a matrix of these rows for the leading dimensions except the last."""
        return reshape_to(self.build(), (*lead, self.width))


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Concatenated rows of several sources."""

    parts: Sequence[SourceRows]

    @property
    def width(self) -> int:
        """The number of elements of a concatenated row."""
        return sum(part.width for part in self.parts)

    @property
    def repeats(self) -> int:
        """The maximum number of times that an element is gathered."""
        return len(self._picks)

    @cached_property
    def _picks(self) -> Sequence[Array]:
        """For each repetition, the column of each element of a row, -1 for none."""
        begins = accumulate((part.width for part in self.parts), initial=0)
        positions = np.concatenate([part.positions + begin for part, begin in zip(self.parts, begins, strict=False)])
        columns = np.concatenate([part.gathered.columns for part in self.parts])
        order = np.argsort(positions, kind="stable")
        positions, columns = positions[order], columns[order]
        turn = np.arange(len(positions)) - np.searchsorted(positions, positions)
        gathers = np.full((int(turn.max()) + 1, self.width), -1, np.int64)
        gathers[turn, positions] = columns
        return [*gathers]

    def rows(self, lead: Sequence[int]) -> ir.Value:
        """Build a matrix of all rows for the leading dimensions except the last."""
        rows = [part.rows(lead) for part in self.parts]
        return rows[0] if len(rows) == 1 else ttir.concat(*rows, dim=len(lead))

    def matrix_type(self, product: Matmul) -> TensorType:
        """Return the type of `matrix` for the weights of a matmul."""
        return product.b.with_shape((self.width, product.mnk[1]))

    def matrix(self, weights: ir.Value, *, transposed: bool) -> ir.Value:
        """Return the weights scattered to the elements of the sources, with zeros elsewhere."""
        rows = permute_dims(weights, (1, 0)) if transposed else weights
        count = read_type(rows.type).shape[0]
        rows = fill(rows, 0, count + 1)
        looked_up = [ttir.embedding(_indices(np.where(picks < 0, count, picks)), rows) for picks in self._picks]
        return reduce(ttir.add, looked_up)


Reading = Sequence[RowGroup]
"""Groups that cover all columns, with a matmul for each."""


def readings(gathered: Sequence[GatheredColumns], inside: Collection[ir.Value]) -> Iterator[Reading]:
    """Yield alternatives to read the sources of gathered columns, together or separately.

    Values `inside`, which have no other uses, can be computed differently.
    """
    candidates = [[*row_candidates(part, inside)] for part in gathered]
    for i in range(max(map(len, candidates))):
        parts = [options[min(i, len(options) - 1)] for options in candidates]
        yield [RowGroup(parts)]
        if len(parts) > 1:
            yield [RowGroup([part]) for part in parts]


def _indices(numbers: Array) -> ir.Value:
    return constant(numbers, TensorType(numbers.shape, DType.I64))


def row_candidates(gathered: GatheredColumns, inside: Collection[ir.Value]) -> Iterator[SourceRows]:
    """Yield the rows unchanged, padded to whole tiles, and from an `inside` matmul with padded operands."""
    begin, end = gathered.rows
    source, row = gathered.source, gathered.row
    order = (*range(begin, end), *range(begin), *range(end, len(row) + end - begin))
    plain = SourceRows(gathered, gathered.positions, row, lambda: permute_dims(source, order))
    yield plain
    if len(row) < 2 or not row[-1] % TILE:
        return
    wide = (*row[:-1], -(-row[-1] // TILE) * TILE)
    last, extent = len(order) - 1, wide[-1]
    yield replace(plain, positions=_among(plain, wide), shape=wide, build=lambda: fill(plain.build(), last, extent))
    product = pure_producer(source, *MATMULS) if source in inside else None
    if product is None or begin or len(row) != 2 or len(product.operands) != 2:
        return
    if has_same_rows(product):
        whole = (-(-row[0] // TILE) * TILE, wide[-1])
        yield replace(
            plain, positions=_among(plain, whole), shape=whole, build=lambda: _square(product, extent, inside)
        )
    else:
        yield replace(plain, positions=_among(plain, wide), shape=wide, build=lambda: _widen(product, extent, inside))


def _among(rows: SourceRows, shape: tuple[int, ...]) -> Array:
    """Return the positions of columns in a padded row."""
    return np.ravel_multi_index(np.unravel_index(rows.positions, rows.shape), shape)


def _square(product: ir.Operation, extent: int, inside: Collection[ir.Value]) -> ir.Value:
    """Return all products of rows, with padded rows."""
    rows = product.operands[0]
    rank = read_type(rows.type).rank
    with product.location:
        padded = _pad_operands(rows, rank - 2, extent, inside)
        return ttir.matmul(padded, permute_dims(padded, transposition(rank)))


def _widen(product: ir.Operation, extent: int, inside: Collection[ir.Value]) -> ir.Value:
    """Build the matmul with padded columns."""
    matmul, (a, b) = definition_of(product), product.operands
    assert isinstance(matmul, Matmul)
    with product.location:
        padded = _pad_operands(b, matmul.b.rank - (2 if matmul.transpose_b else 1), extent, inside)
        return ttir.matmul(a, padded, transpose_a=matmul.transpose_a, transpose_b=matmul.transpose_b)


def _pad_operands(value: ir.Value, dim: int, extent: int, inside: Collection[ir.Value]) -> ir.Value:
    """Pad a dimension to an extent at the end: by repeating an operand of a concat, otherwise by zeros.

    Values that are not `inside` have other uses, and are padded themselves.
    """
    shape, op = read_type(value.type).shape, pure_producer(value, *PERMUTATIONS, *VIEWS, "ttir.concat")
    if op is None or shape[dim] == extent or value not in inside:
        return fill(value, dim, extent)
    with op.location:
        return _pad_before(op, dim, extent, inside)


def _pad_before(op: ir.Operation, dim: int, extent: int, inside: Collection[ir.Value]) -> ir.Value:
    source, value = op.operands[0], op.results[0]
    if op.name in PERMUTATIONS:
        permutation = definition_of(op)
        assert isinstance(permutation, Permutation)
        return permute_dims(_pad_operands(source, permutation.order[dim], extent, inside), permutation.order)
    if op.name == "ttir.concat":
        return _repeat_operand(op, dim, extent) or fill(value, dim, extent)
    shape = read_type(value.type).shape
    before = _dim_before(read_type(source.type).shape, shape, dim)
    if before is None:
        return fill(value, dim, extent)
    axis, inner = before
    padded = _pad_operands(source, axis, extent * inner, inside)
    return ttir.reshape(padded, shape=(*shape[:dim], extent, *shape[dim + 1 :]))


def _repeat_operand(concat: ir.Operation, dim: int, extent: int) -> ir.Value | None:
    """Concatenate one operand repeatedly to fill the extent; None if none fits."""
    if concat_dim(concat) != dim:
        return None
    missing = extent - read_type(concat.results[0].type).shape[dim]
    parts = [(part, read_type(part.type).shape[dim]) for part in concat.operands]
    again = [[part] * (missing // size) for part, size in parts if size and missing % size == 0]
    return ttir.concat(*(part for part, _ in parts), *again[0], dim=dim) if again else None


def _dim_before(source: tuple[int, ...], shape: tuple[int, ...], dim: int) -> tuple[int, int] | None:
    """Return the source dimension that begins with this dimension of its reshape, and the elements inside of it."""
    outer = math.prod(shape[:dim])
    inners = {math.prod(shape[dim + 1 : end]) for end in range(dim + 1, len(shape) + 1)}
    for axis, size in enumerate(source):
        if math.prod(source[:axis]) == outer and size % shape[dim] == 0 and size // shape[dim] in inners and size > 1:
            return axis, size // shape[dim]
    return None


def _build(op: ir.Operation, matmul: Matmul, reading: Reading) -> ir.Value:
    """Build the sum of the matmuls of all groups."""
    lead = read_type(op.operands[0].type).shape[:-1]
    products, bias = list[ir.Value](), list(op.operands)[2:]
    matrices = [group.matrix(op.operands[1], transposed=matmul.transpose_b) for group in reading]
    for group, matrix in zip(reading, matrices, strict=True):
        rows = group.rows(lead)
        products.append(ttir.linear(rows, matrix, *bias) if bias else ttir.matmul(rows, matrix))
        bias = []
    return reduce(ttir.add, products)


def _fits(reading: Reading, matmul: Matmul) -> bool:
    """Return True if the weights are small enough to be computed at compile time."""
    nbytes = sum(group.matrix_type(matmul).nbytes for group in reading)
    return nbytes <= _MOST_BYTES and max(group.repeats for group in reading) <= _MOST_REPEATS


def _by_head_ops(prices: Prices) -> Callable[[ir.Module], None]:
    return partial(reshape_by_head_ops().apply, prices=prices)


def _exclusive_values(op: ir.Operation, sources: Sequence[ir.Value]) -> list[ir.Value]:
    """List the values that only a matmul needs, latest first: columns, their sources, and rows of these."""
    parameter_facts = parameters()
    ops, values = {op}, list[ir.Value]()
    block = [other.operation for other in op.block.operations]
    for other in reversed(block[: block.index(op)]):
        readers = {use.owner.operation for result in other.results for use in result.uses}
        if not readers or not readers <= ops:
            continue
        value = other.results[0]
        moves = other.name in MOVED and read_type(value.type).dtype.is_float and parameter_facts.about(value) is None
        if moves or (value in sources and other.name in MATMULS):
            ops.add(other)
            values += other.results
    return values


def _leaves(op: ir.Operation, inside: Collection[ir.Value]) -> list[ir.Value]:
    """List the outside values that an op, and the ops used only by it, read."""
    return outside_operands([op, *filter(None, map(defining_op, inside))])
