"""Forget the layouts that the source spells: placement chooses them anew."""

from collections.abc import Iterable
from typing import Any

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import defined, refresh_signature


class DropLayouts(Pass, name="drop-layouts"):
    """Tensors lose their layouts, and every `ttir.to_layout` gives way to the value that it converts."""

    def run(self, module: ir.Module) -> None:
        """Rewrite all functions of one block, private ones too."""
        for function in defined(module):
            if len(function.regions[0].blocks) == 1:
                _drop(function.regions[0].blocks[0])
                refresh_signature(function)


def _drop(block: Any) -> None:
    _forget(block.arguments)
    for op in [o.operation for o in block.operations]:
        _forget(op.results)
        if op.name == "ttir.to_layout":
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()


def _forget(values: Iterable[Any]) -> None:
    for value in values:
        tensor = value.type
        if isinstance(tensor, ir.RankedTensorType) and tensor.encoding is not None:
            value.set_type(ir.RankedTensorType.get(tensor.shape, tensor.element_type))
