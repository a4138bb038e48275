"""Stores the requested formats in the module, for passes before placement."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import FORMATS
from ttstack.placement.options import Formats


class AttachFormats(Pass, Formats, name="attach-formats"):
    """Set `tt.formats` of the module: the element formats in which rewrites are priced."""

    def run(self, module: ir.Module) -> None:
        """Set the attribute."""
        module.operation.attributes[FORMATS] = ir.StringAttr.get(self.text)
