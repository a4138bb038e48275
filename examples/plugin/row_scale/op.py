"""The op and its kernel."""

from typing import Any

import numpy as np

from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import elementwise
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType
from ttstack_runtime import kernels


class RowScale(Op, mnemonic="row_scale"):
    """`input * scale`, with one scale for each row."""

    op_code = "BinaryNgDeviceOperation"
    computes = ("input", "scale")
    input: TensorType
    scale: TensorType

    def infer(self) -> TensorType:
        """The input's type."""
        expect(self.scale.shape == (*self.input.shape[:-1], 1), f"scale {self.scale} is not one for each row")
        return self.input

    def dispatch(self) -> LoopNest:
        """One product for each tile."""
        return elementwise(self.operands, self.results[0], [TileOp("multiply", (0, 1))])


@kernels.OTHERS
def row_scale(x: np.ndarray[Any, Any], scale: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`x * scale`."""
    return x * scale
