"""Membership of rows in bags, for several lists with offsets: 1 in the row's bag, 0 elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.passes.ttir.embeddings.index_lists import join_lists, look_up

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class BagRows:
    """Lists of equal length, divided into bags by offsets."""

    lists: int
    rows: int
    """Number of rows of each list."""
    bags: int
    """Number of bags of each list."""
    offsets: TensorType
    """An offset for each bag, and optionally the end of the last one."""

    @property
    def has_end(self) -> bool:
        """Return True if the offsets include the end of the last bag."""
        return self.offsets.size > self.bags

    def compare(self, offsets: Sequence[ir.Value]) -> ir.Value:
        """Return [lists, bags, rows]: whether a bag begins at or before a row and ends after it."""
        lines = [reshape_to(v, (1, 1, self.offsets.size)) for v in offsets]
        starts = lines[0] if len(lines) == 1 else ttir.concat(*lines, dim=0)
        begins, ends = self._columns(starts, 0, self.bags), self._columns(starts, 1, self.offsets.size)
        if not self.has_end:
            rest = TensorType((self.lists, 1, 1), self.offsets.dtype)
            ends = ttir.concat(ends, ttir.full(result=rest, shape=rest.shape, fill_value=self.rows), dim=2)
        place = TensorType((1, 1, self.rows), self.offsets.dtype)
        row_indices = ttir.arange(result=place, start=0, end=self.rows, step=1, arange_dimension=2)
        whole = TensorType((self.lists, self.bags, self.rows), DType.I1)
        begun = ttir.ge(row_indices, _as_column(begins), result=whole)
        return ttir.logical_and(begun, ttir.lt(row_indices, _as_column(ends), result=whole), result=whole)

    def look_up(self, offsets: Sequence[ir.Value], after: ir.Value, differences: ir.Value) -> ir.Value:
        """Return the same from the rows after each offset: those of a bag minus those of the next."""
        return ttir.matmul(differences, look_up(join_lists(offsets), after))

    @property
    def matrices(self) -> tuple[TensorType, TensorType]:
        """The types of `look_up`'s matrices: [rows + 1, rows] for rows after an offset, and [lists, bags, offsets]."""
        after, differences = (self.rows + 1, self.rows), (self.lists, self.bags, self.offsets.size)
        return TensorType(after, DType.BF16), TensorType(differences, DType.BF16)

    def elements(self) -> tuple[Array, Array]:
        """Return the elements of `matrices`."""
        after, differences = self.matrices
        begun = np.arange(self.rows) >= np.arange(self.rows + 1)[:, None]
        without_next = np.eye(self.bags, self.offsets.size) - np.eye(self.bags, self.offsets.size, k=1)
        repeated = np.broadcast_to(without_next, differences.shape)
        return begun.astype(after.dtype.numpy), repeated.astype(differences.dtype.numpy)

    def _columns(self, starts: ir.Value, begin: int, end: int) -> ir.Value:
        if (begin, end) == (0, self.offsets.size):
            return starts
        return ttir.slice_static(starts, begins=(0, 0, begin), ends=(self.lists, 1, end), step=(1, 1, 1))


def _as_column(row: ir.Value) -> ir.Value:
    """Permute [lists, 1, bags] to [lists, bags, 1]."""
    return ttir.permute(row, permutation=(0, 2, 1))
