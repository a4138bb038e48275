"""`RotaryEmbedding` of ONNX Runtime's domain, which its exporters of language models use."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import FunctionProto, NodeProto, TypeProto

from ttstack.frontends.onnx.function_text import function
from ttstack.frontends.onnx.types import static_shape

_INPUTS = ("x", "positions", "c", "s")
_JOINED = len(("batch", "tokens", "heads * width"))


def rotary_embedding(node: NodeProto, types: Mapping[str, TypeProto]) -> FunctionProto | None:
    """Return the definition by other ops; None with packed batches or a scale.

    Rows are [batch, tokens, heads * width] or [batch, heads, tokens, width]; positions are those of all tokens, or that
    of the first, [1]. Source: onnxruntime, ContribOperators.md.
    """
    given: dict[str, Any] = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if given.get("is_packed_batching") or given.get("scale", 1.0) != 1 or not all(node.input[:4]):
        return None
    shapes = [static_shape(types[name]) for name in node.input]
    shape = _Rows.of(given, shapes[0] or (), shapes[2] or ()) if len(shapes) == len(_INPUTS) else None
    if shape is None:
        return None
    split, join = shape.split_and_join if len(shapes[0] or ()) == _JOINED else ("t = Identity(x)", "y = Identity(all)")
    nodes = (
        split,
        shape.places if shapes[1] == (1,) else "places = Identity(positions)",
        "heads = Constant<value = int64[1] {1}>()",
        "c_at = Gather(c, places) cos = Unsqueeze(c_at, heads) s_at = Gather(s, places) sin = Unsqueeze(s_at, heads)",
        *(shape.neighbours if given.get("interleaved") else shape.halves),
        shape.with_rest,
        join,
    )
    return function(f"RotaryEmbedding ({', '.join(_INPUTS)}) => (y)", *nodes)


_TURN = (
    "a_c = Mul(a, cos) b_s = Mul(b, sin) a_s = Mul(a, sin) b_c = Mul(b, cos) less = Sub(a_c, b_s) more = Add(a_s, b_c)"
)
"""Rotation of the pairs (a, b) by their angles."""


@dataclass(frozen=True)
class _Rows:
    """Nodes, as text, for rows whose first `turned` elements are pairs."""

    batch: int
    heads: int
    tokens: int
    width: int
    turned: int

    @staticmethod
    def of(given: Mapping[str, Any], rows: tuple[int, ...], table: tuple[int, ...]) -> "_Rows | None":
        """Create it from attributes and the shapes of rows and of a table of angles; None if they do not fit."""
        turned = given.get("rotary_embedding_dim") or 2 * math.prod(table[-1:])
        if len(rows) == _JOINED:
            heads = given.get("num_heads") or rows[-1] // max(turned, 1)
            rows = (rows[0], heads, rows[1], rows[2] // max(heads, 1))
        if len(rows) != len(("batch", "heads", "tokens", "width")) or turned % 2 or not 0 < turned <= rows[-1]:
            return None
        batch, heads, tokens, width = rows
        return _Rows(batch, heads, tokens, width, turned)

    @property
    def split_and_join(self) -> tuple[str, str]:
        """Nodes that split heads, from `x` to `t`, and concatenate them again, from `all` to `y`."""
        shape = f"{self.batch}, {self.tokens}, {self.heads}, {self.width}"
        apart = f"apart = Constant<value = int64[4] {{{shape}}}>() x_h = Reshape(x, apart)"
        joined = f"side = Constant<value = int64[3] {{{self.batch}, {self.tokens}, {self.heads * self.width}}}>()"
        swap = "Transpose<perm = [0, 2, 1, 3]>"
        return f"{apart} t = {swap}(x_h)", f"{joined} rows = {swap}(all) y = Reshape(rows, side)"

    @property
    def places(self) -> str:
        """Nodes for the position of each token, from that of the first."""
        steps = ", ".join(map(str, range(self.tokens)))
        return f"steps = Constant<value = int64[1, {self.tokens}] {{{steps}}}>() places = Add(positions, steps)"

    @property
    def rest(self) -> str:
        """Nodes that split rotated elements from the others."""
        if self.width == self.turned:
            return "pairs = Identity(t)"
        parts = f"parts = Constant<value = int64[2] {{{self.turned}, {self.width - self.turned}}}>()"
        return f"{parts} pairs, rest = Split<axis = -1>(t, parts)"

    @property
    def halves(self) -> tuple[str, ...]:
        """Nodes for pairs of the first and the second half."""
        half = self.turned // 2
        sizes = f"sizes = Constant<value = int64[2] {{{half}, {half}}}>()"
        return f"{self.rest} {sizes} a, b = Split<axis = -1>(pairs, sizes)", _TURN, "r = Concat<axis = -1>(less, more)"

    @property
    def neighbours(self) -> tuple[str, ...]:
        """Nodes for pairs of neighbours."""
        lines = f"{self.batch}, {self.heads}, {self.tokens}"
        return (
            f"{self.rest} ends = Constant<value = int64[1] {{-1}}>()",
            f"two = Constant<value = int64[5] {{{lines}, {self.turned // 2}, 2}}>() in_pairs = Reshape(pairs, two)",
            "of_each = Constant<value = int64[2] {1, 1}>() a_p, b_p = Split<axis = -1>(in_pairs, of_each)",
            f"a = Squeeze(a_p, ends) b = Squeeze(b_p, ends) {_TURN}",
            "less_p = Unsqueeze(less, ends) more_p = Unsqueeze(more, ends) r_p = Concat<axis = -1>(less_p, more_p)",
            f"flat = Constant<value = int64[4] {{{lines}, {self.turned}}}>() r = Reshape(r_p, flat)",
        )

    @property
    def with_rest(self) -> str:
        """Nodes that append the elements that are not rotated."""
        return "all = Concat<axis = -1>(r, rest)" if self.width > self.turned else "all = Identity(r)"
