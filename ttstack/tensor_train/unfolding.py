"""A table as a matrix of leading digits by trailing digits, read in blocks from either side.

Of a row number and a column number, the leading digits make the row of the unfolding, the trailing ones its column.
Rows that pad the table are zeros.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from ttstack.tensor_train.axes import swapped
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.tables import BLOCK_ELEMENTS, Progress, release


@dataclass(frozen=True)
class Unfolding:
    """`values` of `heads[0] * tails[0]` rows, padding included, and `heads[1] * tails[1]` columns, as `left x right`.

    `heads` and `tails` count the values that leading and trailing digits take, of rows and of columns. Blocks are
    of `dtype`, and multiplied by `scale`.
    """

    values: Array
    heads: tuple[int, int]
    tails: tuple[int, int]
    dtype: DTypeLike
    scale: float = 1.0
    progress: Progress | None = None

    @property
    def left(self) -> int:
        """Rows of the unfolding."""
        return self.heads[0] * self.heads[1]

    @property
    def right(self) -> int:
        """Columns of the unfolding."""
        return self.tails[0] * self.tails[1]

    def by_rows(self, task: str) -> Iterator[Array]:
        """Blocks of whole rows of the unfolding, `(some, right)`, which read consecutive rows of the table."""
        suffix = self.tails[0]
        step = max(1, BLOCK_ELEMENTS // (suffix * self.values.shape[1]))
        for start in range(0, self.heads[0], step):
            stop = min(start + step, self.heads[0])
            rows = self.values[start * suffix : stop * suffix]
            yield self._arranged(rows, stop - start, suffix).reshape(-1, self.right)
            self._done(task, stop / self.heads[0])

    def by_columns(self, task: str) -> Iterator[Array]:
        """Blocks of whole columns of the unfolding, `(left, some)`, which read rows from all over the table."""
        prefix, suffix = self.heads[0], self.tails[0]
        step = max(1, BLOCK_ELEMENTS // (prefix * self.values.shape[1]))
        for start in range(0, suffix, step):
            stop = min(start + step, suffix)
            rows = np.arange(prefix)[:, None] * suffix + np.arange(start, stop)
            inside = rows < len(self.values)
            taken = self.values[np.where(inside, rows, 0).reshape(-1)]
            taken[~inside.reshape(-1)] = 0
            yield self._arranged(taken, prefix, stop - start).reshape(self.left, -1)
            self._done(task, stop / suffix)

    def _arranged(self, rows: Array, prefix: int, suffix: int) -> Array:
        """Rows in the order `(prefix, suffix)` as `(prefix, leading column digits, suffix, trailing column digits)`."""
        heads, tails = self.heads[1], self.tails[1]
        filled = rows.astype(self.dtype, copy=False)
        if len(rows) < prefix * suffix:
            filled = np.zeros((prefix * suffix, rows.shape[1]), self.dtype)
            filled[: len(rows)] = rows
        out = swapped(filled.reshape(prefix, suffix, heads, tails))
        if self.scale != 1:
            out *= self.scale
        return out

    def _done(self, task: str, share: float) -> None:
        release(self.values)
        if self.progress:
            self.progress(task, share)
