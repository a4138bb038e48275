"""Tiles of attention in training, by rows of queries: hidden scores of a constant mask are not computed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ttstack.device.layout import Layout, storage
from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.signature import read_arguments
from ttstack.dialects.ttir.build import concat_along, constant, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.mask_structure import MaskStructure, TileKind, visible_by_place
from ttstack.ops.matmul import Matmul
from ttstack.ops.training import SdpaBw, SdpaFw, TrainingAttention
from ttstack.ops.types import TILE, TensorType, tiles
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.constant_masks import ConstantMasks
from ttstack.passes.ttir.legalize.decompose_training import has_one_format, log_sum_exps, spread_statistics
from ttstack.passes.ttir.queries.compile_time import MOST_MASK_ELEMENTS

_ROWS, _COUNTS = -2, (2, 4, 8)
"""The dimension of queries and keys from the back, and the numbers of parts of the queries."""
_PASSES = 5
"""Number of times that scores are read and written between matmuls."""
_AT_A_TIME = 4
"""Number of live score tensors: weights, their gradients, and two intermediates."""


class TileTrainingAttention(
    ParameterPass,
    name="tile-training-attention",
    optional=True,
    stage=Stage.FORMS,
    before={"decompose": "it decomposes attention with gradients"},
):
    """Tile attention with gradients by the keys that each block of queries sees.

    The statistics that the forward pass keeps are tiled too. A causal or constant mask defines the visible keys.
    Queries are split if predicted to be faster, and a part that sees all of its keys has no mask.
    """

    def run(self, module: ir.Module) -> None:
        """Look at every function."""
        prices = Prices.of(module)
        if prices is None:
            return
        for function in functions(module):
            names = [argument.name for argument in read_arguments(function)]
            masks = ConstantMasks(MOST_MASK_ELEMENTS, self._weights, names)
            for op in body(function):
                if op.name in (f"ttir.{SdpaFw.mnemonic}", f"ttir.{SdpaBw.mnemonic}"):
                    _Cut(op, masks, prices).apply()


@dataclass(frozen=True)
class _QueryPart:
    """Queries [first, end) and the keys [low, high) that any of them sees."""

    first: int
    end: int
    low: int
    high: int
    whole: bool
    """Whether each query sees all of these keys."""


@dataclass(frozen=True)
class _Cut:
    op: ir.Operation
    masks: ConstantMasks
    prices: Prices

    def apply(self) -> None:
        """Replace the op if its parts are faster."""
        attention = definition_of(self.op)
        assert isinstance(attention, TrainingAttention)
        structure = self._structure(attention)
        if structure is None or structure.share == 1 or self._stays_in_l1(attention) or not _is_written_out(attention):
            return
        parts = self._best(attention, structure)
        if len(parts) > 1:
            if (mask := self._operands_by_name()["attention_mask"]) is not None:
                self.masks.fix(mask)
            with insert_before(self.op):
                replacements = (
                    self._forward(attention, parts) if isinstance(attention, SdpaFw) else self._backward(parts)
                )
            for old, new in zip(self.op.results, replacements, strict=True):
                old.replace_all_uses_with(new)
            self.op.erase()

    def _stays_in_l1(self, attention: TrainingAttention) -> bool:
        """Return True if all live scores fit in L1, where launches take longer than splitting saves."""
        (batch, heads, rows, _), keys = attention.forward().query.shape, attention.forward().key.shape[2]
        scores = storage(attention.forward().query.dtype)
        nbytes = Layout(scores).nbytes(TensorType((batch, heads, rows, keys), scores))
        return _AT_A_TIME * nbytes <= self.prices.chip.num_cores * self.prices.chip.l1_usable_bytes

    def _structure(self, attention: TrainingAttention) -> MaskStructure | None:
        heads, mask = attention.forward(), self._operands_by_name()["attention_mask"]
        queries, keys = heads.query.shape[2], heads.key.shape[2]
        if mask is not None:
            return self.masks.structure(mask, queries, keys)
        return visible_by_place(queries, keys, None, is_causal=True) if heads.is_causal else None

    def _operands_by_name(self) -> dict[str, ir.Value | None]:
        """Return the operands by name, None for absent ones."""
        spec = type(definition_of(self.op))
        return dict(zip_longest(spec.operand_specs(), operands_by_place(spec, self.op)))

    def _best(self, attention: TrainingAttention, structure: MaskStructure) -> Sequence[_QueryPart]:
        """Return the parts with the least predicted time; one part if that is the full attention."""
        whole = (_QueryPart(0, structure.queries, 0, structure.keys, whole=False),)
        cuts = [whole, *(parts for count in _COUNTS if (parts := tuple(_parts(structure, count))))]
        return min(cuts, key=lambda parts: self._price(attention, parts))

    def _price(self, attention: TrainingAttention, parts: Sequence[_QueryPart]) -> float:
        """Return the nanoseconds of matmuls, of work on scores, and of movement if there are several parts."""
        (batch, heads, _, depth), t = attention.forward().query.shape, attention.forward().query
        backward, total = isinstance(attention, SdpaBw), 0.0
        for part in parts:
            counts = part.end - part.first, part.high - part.low
            rows, keys = (t.with_shape((batch, heads, count, depth)) for count in counts)
            scores = t.with_shape((batch, heads, *counts))
            ops = [_product(rows, keys, transpose_b=True), *[_sum(scores)] * _PASSES]
            if backward:
                of_rows = [_product(scores, rows, transpose_a=True)] * 2
                ops += [_product(rows, keys, transpose_b=True), _product(scores, keys), *of_rows]
            if len(parts) > 1:
                ops += [_sum(rows)] * 3 + [_sum(attention.forward().key)] * (4 if backward else 1)
            total += self.prices.sum_of(ops)
        return total

    def _forward(self, attention: SdpaFw, parts: Sequence[_QueryPart]) -> list[ir.Value]:
        """Return the full output, and the statistics of each part."""
        query, key, value, mask = self._operands_by_name().values()
        attributes = {"mask_type": attention.mask_type}
        (out,) = create("ttir", SdpaFw.mnemonic, [query, key, value, mask], attributes).results
        assert query is not None
        assert key is not None
        lines = [
            log_sum_exps(_rows(query, p.first, p.end), _rows(key, p.low, p.high), self._mask(mask, p)) for p in parts
        ]
        return [out, spread_statistics(concat_along(lines, 2), attention.results[1])]

    def _backward(self, parts: Sequence[_QueryPart]) -> list[ir.Value]:
        """Return the gradients of queries by part; those of keys and values are added up."""
        *inputs, mask = self._operands_by_name().values()
        gradient, out, query, key, value, statistics = (operand for operand in inputs if operand is not None)
        gradients = list[Sequence[ir.Value]]()
        for part in parts:
            rows = [_rows(x, part.first, part.end) for x in (gradient, out, query)]
            keys = [_rows(x, part.low, part.high) for x in (key, value)]
            hidden = self._mask(mask, part)
            operands = [*rows, *keys, _rows(statistics, part.first, part.end), hidden]
            kind = {"mask_type": "none" if hidden is None else "arbitrary"}
            gradients.append(list(create("ttir", SdpaBw.mnemonic, operands, kind).results))
        dim = read_type(query.type).rank + _ROWS
        count = read_type(key.type).shape[_ROWS]
        of_keys = [
            [_among(part_gradients[i], part.low, count) for part_gradients, part in zip(gradients, parts, strict=True)]
            for i in (1, 2)
        ]
        return [concat_along([part_gradients[0] for part_gradients in gradients], dim), *map(_added, of_keys)]

    def _mask(self, mask: ir.Value | None, part: _QueryPart) -> ir.Value | None:
        """Return the mask to add to the scores of a part; None if the part sees all of its keys."""
        if part.whole:
            return None
        if mask is None:
            return self._causal(part)
        keys = slice_along(mask, read_type(mask.type).rank - 1, part.low, part.high)
        return keys if read_type(mask.type).shape[_ROWS] == 1 else _rows(keys, part.first, part.end)

    def _causal(self, part: _QueryPart) -> ir.Value:
        dtype = read_type(self.op.operands[0].type).dtype
        hidden = np.arange(part.low, part.high) > np.arange(part.first, part.end)[:, None]
        values = np.where(hidden, -np.inf, 0.0).astype(dtype.numpy)[None, None]
        return constant(values, TensorType(values.shape, dtype))


def _is_written_out(attention: TrainingAttention) -> bool:
    """Return True for attention in one format with statistics, or its gradients, which becomes matmuls."""
    return len(attention.results) > 1 and has_one_format(attention)


def _parts(structure: MaskStructure, count: int) -> Iterator[_QueryPart]:
    """Yield `count` parts of queries; nothing if a part sees no key, or has too few queries."""
    kinds = structure.kinds()
    seen, full = (kinds != TileKind.EMPTY).any(axis=0), (kinds == TileKind.FULL).all(axis=0)
    height = -(-tiles(structure.queries) // count)
    bounds = range(0, tiles(structure.queries), height)
    if len(bounds) < count or not all(seen[start : start + height].any() for start in bounds):
        return
    for start in bounds:
        (columns,) = seen[start : start + height].any(axis=0).nonzero()
        low, high = int(columns[0]), int(columns[-1]) + 1
        end, last = min(TILE * (start + height), structure.queries), min(TILE * high, structure.keys)
        yield _QueryPart(TILE * start, end, TILE * low, last, whole=bool(full[start : start + height, low:high].all()))


def _rows(value: ir.Value, first: int, end: int) -> ir.Value:
    return slice_along(value, read_type(value.type).rank + _ROWS, first, end)


def _among(value: ir.Value, low: int, count: int) -> ir.Value:
    """Pad rows with zeros to `count` rows."""
    t = read_type(value.type)
    after = count - low - t.shape[_ROWS]
    padding = (*(0,) * (2 * (t.rank + _ROWS)), low, after, 0, 0)
    return ttir.pad(value, padding=padding, value=0.0) if low or after else value


def _added(values: Sequence[ir.Value]) -> ir.Value:
    first, *others = values
    for other in others:
        first = ttir.add(first, other)
    return first


def _product(a: TensorType, b: TensorType, *, transpose_a: bool = False, transpose_b: bool = False) -> Op:
    return Matmul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b)


def _sum(t: TensorType) -> Op:
    return OPS["add"].on([t, t], {})
