"""Attention with linear biases (ALiBi): scores rise with the key's position, by a slope per head."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.attributes import Bool, Str
from ttstack.ops.flash import head_passes
from ttstack.ops.loops import IndexingMap
from ttstack.ops.shapes import expect
from ttstack.ops.types import TILE, TensorType, tile_shape, tiles
from ttstack.ops.work_estimate import WorkEstimate

Array = np.ndarray[Any, Any]

COLUMNS = TILE
"""Number of columns in front of a head's own: one tile, whose second half is zeros."""
_BITS = 5
"""Bits of a number in such a column, which every pass of the matrix engine's multiplier reads completely."""
_DIGITS = 3
_SLOPE_PARTS = 3
_ROW_PARTS = 6
MOST_KEYS = 2 ** (_BITS * _DIGITS)
"""Number of key positions that the digits can represent."""


class LinearBiasAttention(ScaledDotProductAttention, mnemonic="linear_bias_attention"):
    """`softmax(query @ key^T * scale + slope * (j - i)) @ value` of query `i` and key `j`, with a slope per head.

    It is not an op of tt-mlir. The library's kernel cannot compute such a bias; extra columns of query and key add it
    as part of the matmul: with `query_columns` [1, Hq, Sq, 32] and `key_columns` [1, Hkv, Sk, 32] before the columns of
    heads, scores include the bias, and the kernel applies causality and windows. A softmax does not change if a
    constant is added to its row, so slopes are ALiBi's (Press et al., 2022) from any origin.
    """

    query_columns: TensorType
    key_columns: TensorType
    is_causal: Bool = False
    slopes: Str

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width; raise `ValueError` if slopes and operands differ."""
        result = super().infer()
        (_, heads, queries, _), (_, key_heads, keys, _) = self.query.shape, self.key.shape
        expect(self.attention_mask is None, "does not accept attention_mask: slopes determine the bias")
        found = len(self.head_slopes)
        expect(found == heads, f"slopes are {found} numbers, of {heads} heads of queries")
        expect(bool(np.isfinite(self.head_slopes).all()), f"slopes '{self.slopes}' are not all finite")
        expect(max(queries, keys) <= MOST_KEYS, f"{max(queries, keys)} positions: slopes count up to {MOST_KEYS}")
        expect(not self.is_causal or queries == keys, f"is causal, of {queries} queries and {keys} keys")
        for name, t, wanted in (
            ("query_columns", self.query_columns, (1, heads, queries, COLUMNS)),
            ("key_columns", self.key_columns, (1, key_heads, keys, COLUMNS)),
        ):
            expect(t.shape == wanted, f"{name} {list(t.shape)} is not {list(wanted)}")
        return result

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` if the columns do not match the slopes."""
        for name, work_out in {"query_columns": self.bias_of_queries, "key_columns": self.bias_of_keys}.items():
            for position in self.operand_positions(name):
                if position in values and not np.array_equal(values[position], work_out()):
                    raise ValueError(f"{name} does not match slopes")

    @cached_property
    def head_slopes(self) -> Array:
        """The slopes as float32 [Hq]; raises `ValueError` if the text is not a list of numbers."""
        try:
            return np.array([float(slope) for slope in self.slopes.split(",")], np.float32)
        except ValueError:
            raise ValueError(f"slopes '{self.slopes}' are not numbers with commas between") from None

    def bias_of_queries(self) -> Array:
        """Return float32 [1, Hq, Sq, 32]: parts of the slopes for each digit of a key, then the row's offset."""
        (_, heads, queries, depth) = self.query.shape
        scale = np.float32(depth**-0.5 if self.scale is None else self.scale)
        parts = _parts(self.head_slopes / np.float64(scale), _SLOPE_PARTS)
        away = _parts(-parts.sum(axis=0)[:, None] * np.arange(queries), _ROW_PARTS)
        digits = [part * 2.0 ** (_BITS * digit) for digit in range(_DIGITS) for part in parts]
        found = np.zeros((1, heads, queries, COLUMNS), np.float32)
        for column, numbers in enumerate([*(part[:, None] for part in digits), *away]):
            found[0, :, :, column] = numbers
        return found

    def bias_of_keys(self) -> Array:
        """Return float32 [1, Hkv, Sk, 32]: digits of positions for all parts of slopes, then ones for rows."""
        (_, heads, keys, _), at = self.key.shape, 0
        found = np.zeros((1, heads, keys, COLUMNS), np.float32)
        for digit in range(_DIGITS):
            of_keys = np.arange(keys) >> _BITS * digit & 2**_BITS - 1
            found[..., at : at + _SLOPE_PARTS] = of_keys[:, None]
            at += _SLOPE_PARTS
        found[..., at : at + _ROW_PARTS] = 1
        return found

    def dispatch(self) -> WorkEstimate:
        """Estimate the work of its kernel; a loop nest cannot express the biases."""
        return self.estimate()

    def estimate(self) -> WorkEstimate:
        """Estimate attention, with columns and a sink read once."""
        domain = tile_shape((*self.query.shape[:3], self.key.shape[2]))
        columns, others = tiles(self.query.shape[3]) + tiles(self.value.shape[3]), len(self.operands) - 3
        whole = [IndexingMap((None,) * 4)] * others
        return head_passes(domain, columns, whole, self.results[0], is_causal=self.is_causal)


def slopes_text(slopes: Array) -> str:
    """Format slopes [H] as an attribute: the shortest numbers that are equal in float32."""
    return ",".join(str(slope) for slope in slopes.astype(np.float32))


def _parts(numbers: Array, count: int) -> Array:
    """Split numbers into `count` parts [count, ...] of a few bits that add up to them, except for the remainder."""
    rest, found = np.asarray(numbers, np.float64), list[Array]()
    for _ in range(count):
        unit = np.exp2(np.floor(np.log2(np.abs(np.where(rest == 0, 1, rest)))) - (_BITS - 1))
        found.append(np.trunc(rest / unit) * unit)
        rest = rest - found[-1]
    return np.stack(found)
