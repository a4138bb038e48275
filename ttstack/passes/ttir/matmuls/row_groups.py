"""Rows of several sources side by side, and the matrix that picks their columns."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate
from typing import Any

import numpy as np

from ttstack.dialects.ttir.build import constant, permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import DType, TensorType
from ttstack.passes.ttir.matmuls.fan_in_cone import StandIns
from ttstack.passes.ttir.matmuls.gathered_columns import PickedColumns
from ttstack.passes.ttir.matmuls.whole_rows import WholeRows, ways_to_read
from ttstack.passes.ttir.queries.fill import fill


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows of some sources side by side."""

    parts: Sequence[WholeRows]

    @property
    def width(self) -> int:
        """Elements of a row of all."""
        return sum(part.width for part in self.parts)

    @property
    def repeats(self) -> int:
        """How often an element is picked at most."""
        return len(self._picks)

    @cached_property
    def _picks(self) -> Sequence[np.ndarray[Any, Any]]:
        """Columns that the elements of a row are, -1 where they are none; as often as any is several."""
        begins = accumulate((part.width for part in self.parts), initial=0)
        places = np.concatenate([part.places + begin for part, begin in zip(self.parts, begins, strict=False)])
        columns = np.concatenate([part.picked.columns for part in self.parts])
        order = np.argsort(places, kind="stable")
        places, columns = places[order], columns[order]
        turn = np.arange(len(places)) - np.searchsorted(places, places)
        found = np.full((int(turn.max()) + 1, self.width), -1, np.int64)
        found[turn, places] = columns
        return [*found]

    def rows(self, at: StandIns, lead: Sequence[int]) -> ir.Value:
        """All of them as those of a matrix for each of the leading dimensions but the last."""
        rows = [part.rows(at, lead) for part in self.parts]
        return rows[0] if len(rows) == 1 else ttir.concat(*rows, dim=len(lead))

    def matrix_type(self, product: Matmul) -> TensorType:
        """The type of what `matrix` makes of the product's."""
        return product.b.with_shape((self.width, product.mnk[1]))

    def matrix(self, weights: ir.Value, *, transposed: bool) -> ir.Value:
        """The rows of a matrix for columns, put where the columns are picked of: zeros where none is."""
        rows = permute_dims(weights, (1, 0)) if transposed else weights
        count = read_type(rows.type).shape[0]
        rows = fill(rows, 0, count + 1)
        looked_up = [ttir.embedding(_indices(np.where(picks < 0, count, picks)), rows) for picks in self._picks]
        return reduce(ttir.add, looked_up)


Reading = Sequence[RowGroup]
"""Groups that have all columns: one product multiplies each."""


def readings(picked: Sequence[PickedColumns], inside: Collection[ir.Value]) -> Iterator[Reading]:
    """Ways to read what columns are picked of: each source in its first, second... way, together or one by one.

    What nothing else needs, which is `inside`, can be made otherwise.
    """
    ways = [[*ways_to_read(part, inside)] for part in picked]
    for i in range(max(map(len, ways))):
        parts = [of[min(i, len(of) - 1)] for of in ways]
        yield [RowGroup(parts)]
        if len(parts) > 1:
            yield [RowGroup([part]) for part in parts]


def _indices(numbers: np.ndarray[Any, Any]) -> ir.Value:
    return constant(numbers, TensorType(numbers.shape, DType.I64))
