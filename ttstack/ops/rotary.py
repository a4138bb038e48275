"""Rotary positions: pairs of elements of a row turned by angles."""

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
"""Passes over a row of tiles: a half with its sign changed, two products and their sum."""


class RotaryEmbedding(Op, mnemonic="rotary_embedding"):
    """`input * cos_cache + turned * sin_cache`, where `turned` has the pairs (a, b) of `input` as (-b, a).

    A pair are an element of the first half of a row and that of the second; with `interleaved`, neighbours. Cosines
    and sines broadcast to the input. `trans_mat` is the matrix that makes (-b, a) of neighbours (a, b): the library
    multiplies each tile by it, who reads the op knows it.
    """

    op_code = "RotaryEmbeddingDeviceOperation"
    input: TensorType
    cos_cache: TensorType
    sin_cache: TensorType
    trans_mat: TensorType | None = None
    interleaved: Bool = False

    def infer(self) -> TensorType:
        """The input's type."""
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
                expect(width % TILE == 0, f"rows of {width} elements are no whole tiles, which trans_mat turns")
        return self.input

    def flops(self) -> int:
        """Three for each element: two products and a sum."""
        return 3 * self.input.size

    def dispatch(self) -> WorkEstimate:
        """Rows stay in a core, which has both elements of a pair."""
        rows = rowwise((self.input, self.cos_cache, self.sin_cache), self.input, [self.input.rank - 1], _PASSES)
        if self.trans_mat is None:
            return rows
        return replace(rows, inputs=(*rows.inputs, IndexingMap((None,) * self.trans_mat.rank, Access.MULTICAST)))


def turn_matrix(width: int) -> NDArray[np.floating[Any]]:
    """The matrix that makes (-b, a) of each pair of neighbours (a, b) of a row."""
    return np.kron(np.eye(width // 2), np.array([[0, 1], [-1, 0]]))
