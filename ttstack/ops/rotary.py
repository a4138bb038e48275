"""Rotary positions: pairs of elements of a row turned by angles."""

from ttstack.ops.attributes import Bool
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import rowwise
from ttstack.ops.shapes import broadcast, expect
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

_PASSES = (("multiply", 3.0), ("add", 1.0))
"""Passes over a row of tiles: a half with its sign changed, two products and their sum."""


class RotaryEmbedding(Op, mnemonic="rotary_embedding"):
    """`input * cos_cache + turned * sin_cache`, where `turned` has the pairs (a, b) of `input` as (-b, a).

    A pair are an element of the first half of a row and that of the second; with `interleaved`, neighbours. Cosines
    and sines broadcast to the input.
    """

    op_code = "RotaryEmbeddingDeviceOperation"
    input: TensorType
    cos_cache: TensorType
    sin_cache: TensorType
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
        return self.input

    def flops(self) -> int:
        """Three for each element: two products and a sum."""
        return 3 * self.input.size

    def dispatch(self) -> WorkEstimate:
        """Rows stay in a core, which has both elements of a pair."""
        return rowwise(self.operands, self.input, [self.input.rank - 1], _PASSES)
