"""A table in Tensor-Train form: its plan, its cores, and what can be asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.bags import MODES, Bags
from ttstack.tensor_train.indices import Array, checked, distinct
from ttstack.tensor_train.lookup import lookup
from ttstack.tensor_train.shape import TensorTrainPlan


@dataclass(frozen=True, eq=False)
class TensorTrain:
    """A table of `plan.rows x plan.cols` as a product of cores, each of the shape that `plan.core_shapes` gives.

    Raises:
        TensorTrainError: cores whose shapes are not those of the plan, or that are not of one float type.
    """

    plan: TensorTrainPlan
    cores: tuple[Array, ...]

    def __post_init__(self) -> None:
        shapes = tuple(core.shape for core in self.cores)
        if shapes != self.plan.core_shapes:
            raise TensorTrainError(
                "cores do not have the shapes of the plan",
                notes=(f"cores: {shapes}", f"plan: {self.plan.core_shapes}"),
                hint="core k is (row factor, rank before, column factor x rank after)",
            )
        if len({core.dtype for core in self.cores}) > 1:
            raise TensorTrainError(f"cores have several element types: {[str(c.dtype) for c in self.cores]}")

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
        """The cores in the type that products are formed in: at least float32."""
        return [core.astype(np.result_type(self.dtype, np.float32), copy=False) for core in self.cores]

    def lookup(self, indices: ArrayLike) -> Array:
        """Rows of the table, `(*indices.shape, cols)`, in float32, or float64 if the cores are.

        Raises:
            TensorTrainError: indices are no integers, or outside of the table's rows.
        """
        rows = checked(indices, self.plan.rows)
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
        """Rows pooled by bag, `(bags, cols)`, as `torch.nn.functional.embedding_bag` gives them.

        Raises:
            TensorTrainError: an index, offset, weight or mode that makes no sense.
        """
        if mode not in MODES:
            raise TensorTrainError(f"mode is {mode!r}", hint=f"use one of {', '.join(MODES)}")
        if per_sample_weights is not None and mode != "sum":
            raise TensorTrainError(f"per_sample_weights need mode 'sum', not {mode!r}", hint="use mode='sum'")
        rows = checked(indices, self.plan.rows)
        bags = Bags.of(rows, offsets, per_sample_weights, include_last_offset=include_last_offset)
        if padding_idx is not None:
            bags = bags.without(self._padding_row(padding_idx))
        once, places = distinct(bags.indices, self.plan.padded_rows)
        return bags.pooled(lookup(self.plan, self._factors, once), places, mode)

    def _padding_row(self, padding_idx: int) -> int:
        """The row that pads bags; negative ones count from the end, as in torch."""
        rows = self.plan.rows
        if not -rows <= padding_idx < rows:
            raise TensorTrainError(
                f"padding_idx {padding_idx} is outside of a table of {rows} rows", hint="give one of its rows"
            )
        return padding_idx % rows
