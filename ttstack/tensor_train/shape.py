"""The shape of a Tensor-Train table: factors of rows and columns, and ranks between the cores.

Row `i` of a table has digits `i_1 .. i_d` in the mixed base `n_1 .. n_d`, most significant first; column `j` likewise
in the base `m_1 .. m_d`. Core `k` has a matrix for each value of digit `i_k`:
`table[i, j] = C_1[i_1, :, j_1, :] @ C_2[i_2, :, j_2, :] @ ... @ C_d[i_d, :, j_d, :]`
(Oseledets, "Tensor-Train Decomposition", SIAM J. Sci. Comput. 33, 2011, in its form for matrices).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from operator import index

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.arguments import present, share_faults, whole_faults, wholes_faults


@dataclass(frozen=True)
class TensorTrainPlan:
    """Rows, columns, their factors and the ranks of a table in Tensor-Train form.

    `ranks` has one entry more than there are cores, and is 1 at both ends. With `rel_error`, the ranks are upper
    limits: `decompose` uses the smallest ones within this relative Frobenius error.

    Raises:
        TensorTrainError: factors and ranks do not describe a table of this size; lists every fault.
    """

    rows: int
    cols: int
    row_factors: tuple[int, ...]
    col_factors: tuple[int, ...]
    ranks: tuple[int, ...]
    rel_error: float | None = None

    def __post_init__(self) -> None:
        lists = {"row_factors": self.row_factors, "col_factors": self.col_factors, "ranks": self.ranks}
        faults = (*whole_faults(rows=self.rows, cols=self.cols), *wholes_faults(**lists))
        if not faults:
            for name, numbers in lists.items():
                object.__setattr__(self, name, tuple(index(number) for number in numbers))
            object.__setattr__(self, "rows", index(self.rows))
            object.__setattr__(self, "cols", index(self.cols))
            faults = shape_faults(self.rows, self.cols, self.row_factors, self.col_factors, self.ranks)
        faults += tuple(share_faults(**present(rel_error=self.rel_error)))
        if faults:
            raise TensorTrainError(
                f"this is not a Tensor-Train shape of {self.rows} x {self.cols}",
                notes=faults,
                hint="let ttstack.tensor_train.plan choose the factors that you do not need to fix",
            )

    @property
    def order(self) -> int:
        """Number of cores."""
        return len(self.row_factors)

    @property
    def core_shapes(self) -> tuple[tuple[int, int, int], ...]:
        """Shape of each core, index-major: `(n_k, r_{k-1}, m_k * r_k)`, the rank innermost."""
        return tuple(
            (n, left, m * right)
            for n, m, left, right in zip(
                self.row_factors, self.col_factors, self.ranks[:-1], self.ranks[1:], strict=True
            )
        )

    @property
    def parameters(self) -> int:
        """Number of elements of all cores."""
        return sum(prod(shape) for shape in self.core_shapes)

    def nbytes(self, itemsize: int) -> int:
        """Return the bytes of all cores, with elements of `itemsize` bytes."""
        return self.parameters * itemsize

    @property
    def padded_rows(self) -> int:
        """Number of rows by the row factors; those from `rows` on are never looked up."""
        return prod(self.row_factors)

    @property
    def padding(self) -> float:
        """Number of padding rows relative to the table's rows."""
        return self.padded_rows / self.rows - 1


def largest_ranks(row_factors: tuple[int, ...], col_factors: tuple[int, ...]) -> tuple[int, ...]:
    """Return the maximum rank between each pair of cores for any table of these factors; 1 at both ends."""
    sizes = [n * m for n, m in zip(row_factors, col_factors, strict=True)]
    return tuple(min(prod(sizes[:k]), prod(sizes[k:])) for k in range(len(sizes) + 1))


def shape_faults(
    rows: int, cols: int, row_factors: tuple[int, ...], col_factors: tuple[int, ...], ranks: tuple[int, ...]
) -> tuple[str, ...]:
    """Return the reasons why these are not a Tensor-Train shape of a `rows x cols` table; empty if they are one."""
    return tuple(_faults(rows, cols, row_factors, col_factors, ranks))


def _faults(
    rows: int, cols: int, row_factors: tuple[int, ...], col_factors: tuple[int, ...], ranks: tuple[int, ...]
) -> Iterator[str]:
    order = len(row_factors)
    if rows < 1 or cols < 1:
        yield "a table has at least one row and one column"
    if order == 0 or len(col_factors) != order or len(ranks) != order + 1:
        yield (
            f"{order} row factors need as many column factors and one rank more; "
            f"there are {len(col_factors)} and {len(ranks)}"
        )
        return
    if min(*row_factors, *col_factors, *ranks) < 1:
        yield "factors and ranks are at least 1"
        return
    if prod(row_factors) < rows:
        yield f"row factors {list(row_factors)} make {prod(row_factors)} rows, fewer than {rows}"
    if prod(col_factors) != cols:
        yield f"column factors {list(col_factors)} make {prod(col_factors)} columns, not {cols}"
    if ranks[0] != 1 or ranks[-1] != 1:
        yield f"ranks begin and end with 1: {list(ranks)}"
    limits = largest_ranks(row_factors, col_factors)
    if any(rank > limit for rank, limit in zip(ranks[1:-1], limits[1:-1], strict=True)):
        yield f"ranks {list(ranks)} exceed the largest that these factors can need, {list(limits)}"
