"""State that outlives a call."""

from ttstack.ops.base import Op
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense

LOWERINGS = LoweringTable()


@LOWERINGS("assign")
def _assign(_: Op, target: Dense, value: Dense) -> Dense:
    return value.cast(target.dtype)


@LOWERINGS("clone")
def _clone(_: Op, x: Dense) -> Dense:
    return x
