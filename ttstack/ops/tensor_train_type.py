"""The type of a table in Tensor-Train form: the shape of the train and the element type of its cores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.ops.types import DType, TensorType
from ttstack.tensor_train.shape import TensorTrainPlan, shape_faults

FIELDS = ("rows", "columns", "row_factors", "column_factors", "ranks", "element")
"""The fields of the attribute, in MLIR syntax."""


@dataclass(frozen=True)
class TensorTrainType:
    """A table of `plan.rows` x `plan.cols` as a train of cores of `dtype`."""

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
        """Return the type of these fields; raise `ValueError` with everything that does not fit."""
        if not element.is_float:
            raise ValueError(f"element type {element} of a Tensor-Train is not a real number")
        shape = (rows, columns, tuple(row_factors), tuple(column_factors), tuple(ranks))
        if faults := shape_faults(*shape):
            raise ValueError(f"train: {'; '.join(faults)}")
        return TensorTrainType(TensorTrainPlan(*shape), element)

    def fields(self) -> dict[str, Any]:
        """Return the arguments of `of`, by name."""
        p = self.plan
        return dict(zip(FIELDS, (p.rows, p.cols, p.row_factors, p.col_factors, p.ranks, self.dtype), strict=True))

    @property
    def cores(self) -> tuple[TensorType, ...]:
        """The types of the cores: (index, rank before, column factor times rank after)."""
        return tuple(TensorType(shape, self.dtype) for shape in self.plan.core_shapes)

    @property
    def table(self) -> TensorType:
        """The type of the dense table."""
        return TensorType((self.plan.rows, self.plan.cols), self.dtype)
