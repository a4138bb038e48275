"""Folds constant attention masks: unneeded masks are removed, and hidden scores are not computed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import erase_unused_parameters, read_arguments
from ttstack.dialects.ttir.build import constant
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.block_sparse import BlockSparseAttention, block_flags
from ttstack.ops.linear_bias import COLUMNS, MOST_KEYS, LinearBiasAttention, slopes_text
from ttstack.ops.mask_structure import MaskStructure, TileKind, visible_by_place
from ttstack.ops.types import DType, ElementType, TensorType, tiles
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.constant_masks import ConstantMasks
from ttstack.passes.ttir.queries.compile_time import erase_dead_ops

Array = np.ndarray[Any, Any]


class FoldMasks(
    ParameterPass,
    name="fold-masks",
    optional=True,
    stage=Stage.ATTENTION,
    after={"fuse-attention": "the mask is an operand of the op"},
):
    """Skip the blocks of attention that a constant mask hides.

    Causal masks and sliding windows become attributes, packed documents a list of their starts, without a mask operand.
    Other masks skip fully hidden blocks, if predicted to be faster. Masks that are 0 everywhere are removed.
    """

    max_elements: int = 2**24
    """Number of elements above which steps to a mask are computed in slices, if elementwise, or not at all."""

    def run(self, module: ir.Module) -> None:
        """Fold the mask of every attention; equal masks are analyzed once."""
        for function in functions(module):
            names = [argument.name for argument in read_arguments(function)]
            masks = ConstantMasks(self.max_elements, self._weights, names)
            rewrite = _MaskFolding(masks, Prices.of(module))
            for op in body(function):
                if op.name == f"ttir.{ScaledDotProductAttention.mnemonic}":
                    rewrite.fold(op)
            if rewrite.replaced:
                erase_dead_ops(function)
                erase_unused_parameters(function, {names[leaf.arg_number] for leaf in rewrite.replaced})
                refresh_signature(function)


@dataclass(frozen=True)
class _MaskFolding:
    masks: ConstantMasks
    prices: Prices | None
    constants: dict[tuple[str, bytes], ir.Value] = field(default_factory=dict[tuple[str, bytes], ir.Value])
    """Cached constants: starts of documents, flags, and columns of slopes."""
    replaced: set[ir.BlockArgument] = field(default_factory=set[ir.BlockArgument])
    """Parameters of masks that are no longer operands."""

    def fold(self, op: ir.Operation) -> None:
        sdpa, (*_, mask, _) = definition_of(op), operands_by_place(ScaledDotProductAttention, op)
        assert isinstance(sdpa, ScaledDotProductAttention)
        if mask is None or sdpa.sliding_window_size:
            return
        if self._fold_linear(op, sdpa, mask):
            return
        structure = self.masks.structure(mask, sdpa.query.shape[2], sdpa.key.shape[2])
        if structure is None:
            return
        attributes = _position_attributes(structure)
        if attributes == {"is_causal": False} and self.masks.is_learned(mask):
            return
        if attributes is not None:
            self._replace(op, sdpa, attributes=attributes)
        elif self.prices is not None and sdpa.query.shape[2] > 1 and structure.share < 1:
            best = min(self._forms(sdpa, structure), key=self.prices.latency_of)
            if self.prices.latency_of(best) < self.prices.latency_of(sdpa):
                self._replace(op, best, attributes={})

    def _fold_linear(self, op: ir.Operation, sdpa: ScaledDotProductAttention, mask: ir.Value) -> bool:
        """Replace a mask of slopes and hidden positions with attributes; return True if it was replaced.

        It is replaced if that is not slower than with the mask.
        """
        queries, keys = sdpa.query.shape[2], sdpa.key.shape[2]
        if self.prices is None or queries == 1 or max(queries, keys) > MOST_KEYS:
            return False
        linear = self.masks.linear_bias(mask, queries, keys)
        if (
            linear is None
            or (linear.slopes != linear.slopes[:1]).any()
            or (by := _position_attributes(linear.seen)) is None
        ):
            return False
        new = _linear(sdpa, by, linear.slopes[0])
        if self.prices.latency_of(new) > self.prices.latency_of(sdpa):
            return False
        *inputs, _, sink = operands_by_place(ScaledDotProductAttention, op)
        with insert_before(op):
            columns = [
                self._constant(values, sdpa.query.dtype) for values in (new.bias_of_queries(), new.bias_of_keys())
            ]
            result = ttir.build(new.mnemonic, *inputs, None, sink, *columns, **new.attributes())
        self._end(op, result)
        return True

    def _forms(self, sdpa: ScaledDotProductAttention, structure: MaskStructure) -> Iterator[BlockSparseAttention]:
        """List the block-sparse forms of attention: by documents, otherwise by flags of blocks of several sizes."""
        operands = {"query": sdpa.query, "key": sdpa.key, "value": sdpa.value, "attention_sink": sdpa.attention_sink}
        fields: dict[str, Any] = operands | {"scale": sdpa.scale, "mask_structure": str(structure)}
        if (documents := structure.documents) is not None:
            bounds = TensorType((len(documents[0]),), DType.I32)
            yield BlockSparseAttention(**fields, cu_window_seqlens=bounds, is_causal=documents[1])
        elif sdpa.attention_mask is not None and self.prices is not None:
            for block in _blocks(sdpa, self.prices.chip.attention.key_chunk_tiles):
                flags = TensorType(block_flags(structure, block).shape, DType.I32)
                yield BlockSparseAttention(**fields, attention_mask=sdpa.attention_mask, attn_mask_block_map=flags)

    def _replace(self, op: ir.Operation, new: ScaledDotProductAttention, attributes: dict[str, Any]) -> None:
        """Replace the op by `new`, or remove its mask and set other attributes."""
        *inputs, mask, sink = operands_by_place(ScaledDotProductAttention, op)
        own = attribute_values(ScaledDotProductAttention, op) | attributes
        with insert_before(op):
            if isinstance(new, BlockSparseAttention):
                documents = self._constant(new.document_bounds()) if new.cu_window_seqlens else None
                flags = self._constant(new.block_map()) if new.attn_mask_block_map else None
                kept, own = (mask if flags else None), new.attributes()
                result = ttir.build(new.mnemonic, *inputs, kept, sink, documents, flags, **own)
            else:
                result = ttir.build(new.mnemonic, *inputs, None, sink, **own)
        self._end(op, result)

    def _end(self, op: ir.Operation, result: ir.Value) -> None:
        *_, mask, _ = operands_by_place(ScaledDotProductAttention, op)
        if mask is not None:
            self.replaced.update(self.masks.fix(mask))
        op.results[0].replace_all_uses_with(result)
        op.erase()

    def _constant(self, values: Array, dtype: ElementType = DType.I32) -> ir.Value:
        key = str(TensorType(values.shape, dtype)), values.tobytes()
        if key not in self.constants:
            self.constants[key] = constant(values.astype(dtype.numpy), TensorType(values.shape, dtype))
        return self.constants[key]


def _linear(sdpa: ScaledDotProductAttention, position_attributes: dict[str, Any], slopes: Array) -> LinearBiasAttention:
    """Return attention with slopes [1] or [heads] in place of a mask, and with hidden positions as attributes."""
    (_, heads, queries, _), (_, key_heads, keys, _) = sdpa.query.shape, sdpa.key.shape
    return LinearBiasAttention(
        query=sdpa.query,
        key=sdpa.key,
        value=sdpa.value,
        attention_sink=sdpa.attention_sink,
        scale=sdpa.scale,
        query_columns=sdpa.query.with_shape((1, heads, queries, COLUMNS)),
        key_columns=sdpa.key.with_shape((1, key_heads, keys, COLUMNS)),
        slopes=slopes_text(np.broadcast_to(slopes, heads)),
        **position_attributes,
    )


def _position_attributes(structure: MaskStructure) -> dict[str, Any] | None:
    """Return the attributes that hide the same keys by position; None if no attributes do."""
    if (structure.kinds() == TileKind.FULL).all():
        return {"is_causal": False}
    band, sizes = structure.band, (structure.queries, structure.keys)
    if band is None or structure.queries != structure.keys or structure.queries == 1:
        return None
    first, end = band.first[-1], band.end[0]
    for is_causal, window in ((True, None), (True, 1 - first.offset), (False, 2 * (end.offset - 1) or 1)):
        if (window is None or window > 0) and visible_by_place(*sizes, window, is_causal=is_causal).band == band:
            return {"is_causal": is_causal} | ({"sliding_window_size": window} if window else {})
    return None


def _blocks(sdpa: ScaledDotProductAttention, usual: int) -> Iterator[tuple[int, int]]:
    """Yield sizes of blocks in tiles of queries and keys: the default of attention, and smaller ones."""
    most = [min(usual, tiles(extent)) for extent in (sdpa.query.shape[2], sdpa.key.shape[2])]
    for rows in (1, 2, 4):
        for columns in (1, 2, 4):
            yield -(-most[0] // rows), -(-most[1] // columns)
