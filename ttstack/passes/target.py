"""The chip that a function is compiled for."""

from ttstack.dialects.base import definition
from ttstack.mlir import func
from ttstack.system_desc import ChipDesc, SystemDesc


def target_chip(function: func.FuncOp, desc: SystemDesc) -> ChipDesc:
    """Return the first chip; if ops span the mesh, with the workers that all chips have."""
    specs = (definition(op) for block in function.regions[0].blocks for op in block.operations)
    return desc.target(spans_mesh=any(spec is not None and spec.spans_mesh for spec in specs))
