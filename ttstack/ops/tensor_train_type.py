"""What a table in Tensor-Train form is: the shape of the train and the element type of its cores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.ops.types import DType, TensorType
from ttstack.tensor_train.shape import TensorTrainPlan, shape_faults

FIELDS = ("rows", "columns", "row_factors", "column_factors", "ranks", "element")
"""The fields of the attribute, as its text spells them."""


@dataclass(frozen=True)
class TensorTrainType:
    """A table of `plan.rows` x `plan.cols` as a train of cores that hold `dtype`."""

    plan: TensorTrainPlan
    dtype: DType

    @staticmethod
    def of(
        rows: int,
        columns: int,
        row_factors: Sequence[int],
        column_factors: Sequence[int],
        ranks: Sequence[int],
        element: DType,
    ) -> "TensorTrainType":
        """The type of these fields; raises `ValueError` with all of what does not fit."""
        if not element.is_float:
            raise ValueError(f"element type {element} of a Tensor-Train is no real number")
        shape = (rows, columns, tuple(row_factors), tuple(column_factors), tuple(ranks))
        if faults := shape_faults(*shape):
            raise ValueError(f"train: {'; '.join(faults)}")
        return TensorTrainType(TensorTrainPlan(*shape), element)

    def fields(self) -> dict[str, Any]:
        """What `of` takes, by name."""
        p = self.plan
        return dict(zip(FIELDS, (p.rows, p.cols, p.row_factors, p.col_factors, p.ranks, self.dtype), strict=True))

    @property
    def cores(self) -> tuple[TensorType, ...]:
        """The types of the cores: (index, rank before, column factor times rank after)."""
        return tuple(TensorType(shape, self.dtype) for shape in self.plan.core_shapes)

    @property
    def table(self) -> TensorType:
        """The type of the table that the cores stand for."""
        return TensorType((self.plan.rows, self.plan.cols), self.dtype)
