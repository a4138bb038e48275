"""Rotary position embeddings: rotation of pairs of elements of a row."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttstack.ops.attributes import Bool
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import rowwise
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.shapes import broadcast, expect
from ttstack.ops.types import TILE, TensorType
from ttstack.ops.work_estimate import WorkEstimate

_PASSES = (("multiply", 3.0), ("add", 1.0))
"""Tile ops of a row: one half negated, two products and their sum."""


class RotaryEmbedding(Op, mnemonic="rotary_embedding"):
    """`input * cos_cache + rotated * sin_cache`, where `rotated` maps pairs (a, b) of `input` to (-b, a).

    A pair is an element of the first half of a row and the one of the second half; with `interleaved`, two neighbours.
    Cosines and sines broadcast to the input. `trans_mat` is the constant matrix that maps neighbours (a, b) to (-b, a);
    the library multiplies each tile by it.
    """

    op_code = "RotaryEmbeddingDeviceOperation"
    input: TensorType
    cos_cache: TensorType
    sin_cache: TensorType
    trans_mat: TensorType | None = None
    interleaved: Bool = False

    def infer(self) -> TensorType:
        """Return the input's type."""
        shape = self.input.shape
        expect(
            all(width % 2 == 0 for width in shape[-1:]) and len(shape) > 0, f"input {list(shape)} has no rows of pairs"
        )
        for name, t in (("cos_cache", self.cos_cache), ("sin_cache", self.sin_cache)):
            expect(t.shape[-1:] == shape[-1:], f"{name} {list(t.shape)} has not the rows of {list(shape)}")
            expect(broadcast(shape, t.shape) == shape, f"{name} {list(t.shape)} does not broadcast to {list(shape)}")
        if self.trans_mat is not None:
            expect(self.interleaved, "takes a trans_mat with interleaved alone")
            got = list(self.trans_mat.shape)
            expect(got == [1, 1, TILE, TILE], f"trans_mat has shape {got}, expected [1, 1, {TILE}, {TILE}]")
            for width in shape[-1:]:
                expect(width % TILE == 0, f"rows of {width} elements are not whole tiles, which trans_mat turns")
        return self.input

    def flops(self) -> int:
        """Return three for each element: two products and a sum."""
        return 3 * self.input.size

    def dispatch(self) -> WorkEstimate:
        """Estimate rows that stay in a core, which has both elements of a pair."""
        rows = rowwise((self.input, self.cos_cache, self.sin_cache), self.input, [self.input.rank - 1], _PASSES)
        if self.trans_mat is None:
            return rows
        return replace(rows, inputs=(*rows.inputs, IndexingMap((None,) * self.trans_mat.rank, Access.MULTICAST)))


def fills_tiles(op: RotaryEmbedding, width: int) -> bool:
    """Return True if rows of a width are whole tiles, or so many that padding with zeros is faster."""
    return width % TILE == 0 or math.prod(op.cos_cache.shape[:-1]) >= TILE


def turn_matrix(width: int) -> NDArray[np.floating[Any]]:
    """Return the matrix that maps each pair of neighbours (a, b) of a row to (-b, a)."""
    return np.kron(np.eye(width // 2), np.array([[0, 1], [-1, 0]]))
