"""A table as a matrix of leading digits by trailing digits, read in blocks from either side.

The leading digits of a row number and a column number are the row of the unfolding, and the trailing ones its column.
Padding rows are zeros.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from ttstack.tensor_train.axes import swap_middle
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.tables import BLOCK_ELEMENTS, MAPPED_ELEMENTS, Progress, mapping_of, release

_PLACES = 8  # that a sample is taken from


@dataclass(frozen=True)
class Unfolding:
    """`values` of `heads[0] * tails[0]` rows, with padding, and `heads[1] * tails[1]` columns, as `left x right`.

    `heads` and `tails` are the numbers of values of leading and trailing digits, of rows and of columns. Blocks are of
    `dtype`, and multiplied by `scale`.
    """

    values: Array
    heads: tuple[int, int]
    tails: tuple[int, int]
    dtype: DTypeLike
    scale: float = 1.0
    progress: Progress | None = None

    @property
    def left(self) -> int:
        """Number of rows of the unfolding."""
        return self.heads[0] * self.heads[1]

    @property
    def right(self) -> int:
        """Number of columns of the unfolding."""
        return self.tails[0] * self.tails[1]

    @property
    def narrow_left(self) -> bool:
        """True if the side of the leading digits is narrower."""
        return self.left < self.right

    def lines(self, task: str, elements: int = BLOCK_ELEMENTS) -> Iterator[Array]:
        """Yield blocks of whole lines of the narrower side, `(some, narrower side)`."""
        if self.narrow_left:
            return (block.T for block in self.by_columns(task, elements))
        return self.by_rows(task, elements)

    def by_rows(self, task: str, elements: int = BLOCK_ELEMENTS) -> Iterator[Array]:
        """Yield blocks of whole rows of the unfolding, `(some, right)`, which read consecutive rows of the table."""
        step = max(1, elements // (self.tails[0] * self.values.shape[1]))
        for start in range(0, self.heads[0], step):
            stop = min(start + step, self.heads[0])
            yield self._block(slice(start, stop), slice(None))
            self._done(task, stop / self.heads[0])

    def by_columns(self, task: str, elements: int = BLOCK_ELEMENTS) -> Iterator[Array]:
        """Yield blocks of whole columns of the unfolding, `(left, some)`, which read rows from all over the table."""
        if mapping_of(self.values) is not None:
            elements = MAPPED_ELEMENTS
        step = max(1, elements // (self.heads[0] * self.values.shape[1]))
        for start in range(0, self.tails[0], step):
            stop = min(start + step, self.tails[0])
            yield self._block(slice(None), slice(start, stop))
            self._done(task, stop / self.tails[0])

    def sample(self) -> Array:
        """Return about a block of lines of the narrower side from several positions: `(some, narrower side)`."""
        if self.narrow_left:
            size, line = self.tails[0], self.left * self.tails[1]
        else:
            size, line = self.heads[0], self.heads[1] * self.right
        count = max(1, BLOCK_ELEMENTS // (line * _PLACES))
        taken = list[Array]()
        for start in range(0, size, max(count, -(-size // _PLACES))):
            part = slice(start, start + count)
            taken.append(self._block(slice(None), part).T if self.narrow_left else self._block(part, slice(None)))
            release(self.values)
        return np.concatenate(taken)

    def _block(self, heads: slice, tails: slice) -> Array:
        """Return rows with these leading and trailing digits, `(leading digits, trailing digits)`."""
        prefix, suffix = range(self.heads[0])[heads], range(self.tails[0])[tails]
        whole = len(self.values) // self.tails[0]
        rows = self.values[: whole * self.tails[0]].reshape(whole, self.tails[0], self.values.shape[1])[heads, tails]
        if len(rows) == len(prefix):
            filled = rows.astype(self.dtype, order="C", copy=False)
        else:
            filled = np.zeros((len(prefix), len(suffix), self.values.shape[1]), self.dtype)
            filled[: len(rows)] = rows
            if whole in prefix:
                last = self.values[whole * self.tails[0] :][tails]
                filled[prefix.index(whole), : len(last)] = last
        out = swap_middle(filled.reshape(len(prefix), len(suffix), self.heads[1], self.tails[1]))
        if self.scale != 1:
            out *= self.scale
        return out.reshape(len(prefix) * self.heads[1], len(suffix) * self.tails[1])

    def _done(self, task: str, share: float) -> None:
        release(self.values)
        if self.progress:
            self.progress(task, share)
