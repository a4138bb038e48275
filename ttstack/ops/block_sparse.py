"""Attention over the blocks of scores that a constant mask leaves visible."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.attributes import Bool, Str
from ttstack.ops.flash import Attended, head_passes
from ttstack.ops.loop_nests import broadcast_map
from ttstack.ops.loops import IndexingMap
from ttstack.ops.mask_structure import MaskStructure, TileKind, parse_structure
from ttstack.ops.shapes import expect
from ttstack.ops.types import TILE, DType, TensorType, tile_shape, tiles
from ttstack.ops.work_estimate import WorkEstimate

Array = np.ndarray[Any, Any]


class BlockSparseAttention(ScaledDotProductAttention, mnemonic="block_sparse_attention"):
    """`softmax(query @ key^T * scale + mask) @ value`, where `mask_structure` lists the visible tiles of scores.

    Both of its forms are of ttnn and not of tt-mlir. Packed documents have no mask: tokens attend to their own document
    (up to themselves if causal), given by its start and the end of the last one. The other form has a mask and a flag
    for each block of scores; blocks with flag 0 are hidden and are not visited.
    """

    host_indices = ("cu_window_seqlens", "attn_mask_block_map")
    cu_window_seqlens: TensorType | None = None
    attn_mask_block_map: TensorType | None = None
    is_causal: Bool = False
    mask_structure: Str

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width; raise `ValueError` if structure and operands differ."""
        result = super().infer()
        expect(self.sliding_window_size is None, "sliding_window_size must be absent: mask_structure determines it")
        given = (self.attention_mask, self.cu_window_seqlens, self.attn_mask_block_map)
        forms = ((True, False, True), (False, True, False))
        present = tuple(t is not None for t in given)
        expect(present in forms, "takes an attention_mask with attn_mask_block_map, or cu_window_seqlens alone")
        for name, t in (("cu_window_seqlens", given[1]), ("attn_mask_block_map", given[2])):
            whole = t is None or (isinstance(t.dtype, DType) and not t.dtype.is_float)
            expect(whole, f"{name} is {t}, not of integers")
        if self.cu_window_seqlens is not None:
            found = self.structure.documents
            alike = found is not None and found[1] == self.is_causal
            expect(alike, f"mask_structure '{self.structure}' is no documents, is_causal is {self.is_causal}")
            wanted, got = (len(found[0]),) if found else (), self.cu_window_seqlens.shape
            expect(got == wanted, f"cu_window_seqlens is {list(got)}, of the documents {list(wanted)}")
        if self.attention_mask is not None and self.attn_mask_block_map is not None:
            lead = (1, 1, *self.attention_mask.shape)[-4:-2]
            own = self.structure.shape
            expect(lead == own, f"mask_structure is of {list(own)} masks, the attention_mask of {list(lead)}")
            shape, (rows, columns) = self.attn_mask_block_map.shape, self.block or (1, 1)
            blocks = (-(-tiles(self.query.shape[2]) // rows), -(-tiles(self.key.shape[2]) // columns))
            fits = shape == (*lead, *blocks)
            expect(fits, f"attn_mask_block_map {list(shape)} is not one of {list(lead)} masks in blocks of whole tiles")
        return result

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` if documents or flags differ from the structure."""
        wanted = {"cu_window_seqlens": self.document_bounds, "attn_mask_block_map": self.block_map}
        for name, work_out in wanted.items():
            for position in self.operand_positions(name):
                if position in values and not np.array_equal(values[position], work_out()):
                    raise ValueError(f"{name} does not match mask_structure")

    @cached_property
    def structure(self) -> MaskStructure:
        """The visible scores."""
        return parse_structure(self.mask_structure, self.query.shape[2], self.key.shape[2])

    @property
    def block(self) -> tuple[int, int] | None:
        """Height and width, in tiles, of a block that has a flag; None without flags."""
        if self.attn_mask_block_map is None or self.attn_mask_block_map.rank != len("bhqk"):
            return None
        rows, columns = self.attn_mask_block_map.shape[2:]
        return -(-tiles(self.query.shape[2]) // max(rows, 1)), -(-tiles(self.key.shape[2]) // max(columns, 1))

    def document_bounds(self) -> Array:
        """Return the starts of documents, and the end of the last."""
        found = self.structure.documents
        return np.asarray(found[0] if found else (), np.int32)

    def block_map(self) -> Array:
        """Return a flag for each block: [batch, heads, rows, columns] of the mask."""
        return block_flags(self.structure, self.block or (1, 1))

    def dispatch(self) -> WorkEstimate:
        """Estimate the work of its kernel; a loop nest cannot express which tiles are left out."""
        return self.estimate()

    def score_parts(self) -> Attended:
        """Return the operands and options that define the scores."""
        return replace(super().score_parts(), structure=self.structure)

    def estimate(self) -> WorkEstimate:
        """Estimate the work of the visited tiles of scores and of their softmax."""
        scores = self.results[0].with_shape((*self.query.shape[:3], self.key.shape[2]))
        columns = tiles(self.query.shape[3]) + tiles(self.value.shape[3])
        share = max(self.structure.share, 1 / max(self.key.shape[2], 1))
        mask, whole = self.score_parts().mask, IndexingMap((None,) * 4)
        others = [broadcast_map(t, scores) if i == mask else whole for i, t in enumerate(self.operands) if i > 2]
        return head_passes(tile_shape(scores.shape), columns, others, self.results[0], is_causal=False, share=share)


def block_flags(structure: MaskStructure, block: tuple[int, int]) -> Array:
    """Return 1 for each block of this many tiles that is visited; the first block of a fully hidden row is visited."""
    flags = (structure.kinds(TILE * block[0], TILE * block[1]) != TileKind.EMPTY).astype(np.int32)
    flags[..., 0] |= ~flags.any(axis=-1)
    return flags.reshape(*structure.shape, *flags.shape[1:])
