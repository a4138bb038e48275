"""Removal of the input model's layouts, as placement chooses new ones."""

from collections.abc import Iterable

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import defined_functions


class DropLayouts(Pass, name="drop-layouts"):
    """Remove layouts from tensors; replace `ttir.to_layout` by its operand or by a typecast."""

    def run(self, module: ir.Module) -> None:
        """Rewrite all functions of one block, private ones too."""
        for function in defined_functions(module):
            if len(function.regions[0].blocks) == 1:
                _drop(function.regions[0].blocks[0])
                refresh_signature(function)


def _drop(block: ir.Block) -> None:
    _forget(block.arguments)
    for op in [o.operation for o in block.operations]:
        _forget(op.results)
        if op.name == "ttir.to_layout":
            _replace(op)


def _replace(to_layout: ir.Operation) -> None:
    value, result = to_layout.operands[0], to_layout.results[0]
    if read_type(value.type) != read_type(result.type):
        with insert_before(to_layout):
            value = ttir.typecast(value, result=read_type(result.type))
    result.replace_all_uses_with(value)
    to_layout.erase()


def _forget(values: Iterable[ir.Value]) -> None:
    for value in values:
        tensor = value.type
        if isinstance(tensor, ir.RankedTensorType) and tensor.encoding is not None:
            value.set_type(ir.RankedTensorType.get(tensor.shape, tensor.element_type))
