"""A table in Tensor-Train form: its plan, its cores, and operations on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from os import PathLike
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.arguments import share_faults, whole
from ttstack.tensor_train.bags import MODES, Bags
from ttstack.tensor_train.certificate import Certificate, certify
from ttstack.tensor_train.files import read, write_table
from ttstack.tensor_train.indices import Array, check_rows, distinct
from ttstack.tensor_train.lookup import consecutive, lookup
from ttstack.tensor_train.rounding import round_cores
from ttstack.tensor_train.shape import TensorTrainPlan
from ttstack.tensor_train.tables import Progress, accept_table


@dataclass(frozen=True, eq=False)
class TensorTrain:
    """A table of `plan.rows x plan.cols` as a product of cores with shapes `plan.core_shapes`.

    `certificate` has the errors measured against the original dense table.

    Raises:
        TensorTrainError: the cores' shapes differ from the plan, or they are not of one float type.
    """

    plan: TensorTrainPlan
    cores: tuple[Array, ...]
    certificate: Certificate | None = None

    def __post_init__(self) -> None:
        shapes = tuple(np.shape(core) for core in self.cores)
        if shapes != self.plan.core_shapes:
            raise TensorTrainError(
                "cores do not have the shapes of the plan",
                notes=(f"cores: {shapes}", f"plan: {self.plan.core_shapes}"),
                hint="core k is (row factor, rank before, column factor x rank after)",
            )
        given: tuple[Any, ...] = self.cores
        arrays = [cast(Array, core) for core in given if isinstance(core, np.ndarray)]
        kinds = [str(getattr(core, "dtype", type(core).__name__)) for core in given]
        if len(arrays) < len(given) or any(core.dtype.kind != "f" for core in arrays):
            raise TensorTrainError(f"cores are {', '.join(kinds)}", hint="give arrays of float16, float32 or float64")
        if len({core.dtype for core in self.cores}) > 1:
            raise TensorTrainError(f"cores have several element types: {', '.join(kinds)}", hint="give one")

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the cores."""
        return self.cores[0].dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all cores."""
        return sum(core.nbytes for core in self.cores)

    @cached_property
    def _factors(self) -> Sequence[Array]:
        """The cores in the type of products: at least float32."""
        return [core.astype(np.result_type(self.dtype, np.float32), copy=False) for core in self.cores]

    def lookup(self, indices: ArrayLike) -> Array:
        """Return rows of the table, `(*indices.shape, cols)`, in float32, or float64 if the cores are.

        Raises:
            TensorTrainError: indices are not integers, or out of range.
        """
        rows = check_rows(indices, self.plan.rows)
        return lookup(self.plan, self._factors, rows.reshape(-1)).reshape(*rows.shape, self.plan.cols)

    def embedding_bag(
        self,
        indices: ArrayLike,
        offsets: ArrayLike | None = None,
        *,
        mode: str = "sum",
        per_sample_weights: ArrayLike | None = None,
        padding_idx: int | None = None,
        include_last_offset: bool = False,
    ) -> Array:
        """Return rows pooled by bag, `(bags, cols)`, as `torch.nn.functional.embedding_bag`.

        Raises:
            TensorTrainError: an index, offset, weight or mode is invalid.
        """
        if mode not in MODES:
            raise TensorTrainError(f"mode is {mode!r}", hint=f"use one of {', '.join(MODES)}")
        if per_sample_weights is not None and mode != "sum":
            raise TensorTrainError(f"per_sample_weights need mode 'sum', not {mode!r}", hint="use mode='sum'")
        rows = check_rows(indices, self.plan.rows)
        bags = Bags.of(rows, offsets, per_sample_weights, include_last_offset=include_last_offset)
        if padding_idx is not None:
            bags = bags.without(self._padding_row(padding_idx))
        once, places = distinct(bags.indices, self.plan.padded_rows)
        return bags.pool(lookup(self.plan, self._factors, once), places, mode)

    def _padding_row(self, padding_idx: int) -> int:
        """Return the padding row of bags; negative ones count from the end, as in torch."""
        rows = self.plan.rows
        if not whole(padding_idx, -rows) or padding_idx >= rows:
            raise TensorTrainError(
                f"padding_idx {padding_idx!r} is outside of a table of {rows} rows", hint="give one of its rows"
            )
        return padding_idx % rows

    def to_dense(self, rows: slice | None = None) -> Array:
        """Return the table, or a range of its rows, `(rows, cols)`, which takes the memory of a dense table.

        Raises:
            TensorTrainError: `rows` is not a slice.
        """
        try:
            picked = range(self.plan.rows)[slice(None) if rows is None else slice(*rows.indices(self.plan.rows))]
        except (AttributeError, TypeError, ValueError) as e:
            raise TensorTrainError(
                f"rows is {rows!r}, not a slice of rows", hint="give slice(start, stop); lookup gives single rows"
            ) from e
        if picked.step != 1:
            return self.lookup(np.asarray(picked))
        return consecutive(self.plan, self._factors, picked.start, picked.stop)

    def rel_error(self, table: ArrayLike, progress: Progress | None = None) -> float:
        """Return the Frobenius norm of the difference from a dense table relative to its norm, in float64.

        Raises:
            TensorTrainError: the table is not a finite matrix of floats of this size.
        """
        given = accept_table(table, progress)
        given.check_size(self.plan)
        return certify(given, self.plan, self.cores, np.float64, progress).rel_error

    def round(self, rel_error: float) -> Self:
        """Return the table with the smallest ranks within `rel_error` of this one's norm, with padding.

        Raises:
            TensorTrainError: `rel_error` is not at least 0 and below 1.
        """
        for fault in share_faults(rel_error=rel_error):
            raise TensorTrainError(fault, hint="give at least 0 and less than 1")
        return self.of_cores(self.plan.rows, self.plan.row_factors, self.plan.col_factors, self.cores, rel_error)

    @classmethod
    def of_cores(
        cls,
        rows: int,
        row_factors: tuple[int, ...],
        col_factors: tuple[int, ...],
        cores: Sequence[Array],
        rel_error: float = 0.0,
    ) -> Self:
        """Return the table of index-major cores, rounded to the ranks that it needs at `rel_error`.

        Raises:
            TensorTrainError: the cores do not fit the factors or each other.
        """
        ranks = [1, *(core.shape[1] for core in cores[1:] if core.ndim == 3), 1]
        factors = [row_factors, col_factors, ranks[:-1], ranks[1:]]
        shapes = [(n, left, m * right) for n, m, left, right in zip(*factors, strict=False)]
        if not cores or len(row_factors) != len(col_factors) or [core.shape for core in cores] != shapes:
            raise TensorTrainError(
                f"cores {[core.shape for core in cores]} do not fit factors {list(row_factors)} x {list(col_factors)}",
                hint="core k is (row factor, rank before, column factor x rank after)",
            )
        folded = [
            core.reshape(n, core.shape[1], m, -1).transpose(1, 0, 2, 3).reshape(core.shape[1], n * m, -1)
            for n, m, core in zip(row_factors, col_factors, cores, strict=True)
        ]
        reduced = round_cores(folded, rel_error)
        ranks = (1, *(core.shape[2] for core in reduced))
        plan = TensorTrainPlan(rows, prod(col_factors), row_factors, col_factors, ranks)
        dtype = cores[0].dtype
        sized = zip(row_factors, reduced, strict=True)
        spread = [core.reshape(len(core), n, -1).transpose(1, 0, 2) for n, core in sized]
        return cls(plan, tuple(np.ascontiguousarray(core, dtype) for core in spread))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a safetensors file.

        Raises:
            OutputError: it cannot be written.
        """
        write_table(path, self.plan, self.cores, self.certificate)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a table that `save` wrote.

        Raises:
            TensorTrainError: the file does not exist, or contains no such table.
        """
        return cls(*read(path))
