"""Write the formats that users ask for into the module, where the passes before placement read them."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import FORMATS
from ttstack.placement.options import Formats


class AttachFormats(Pass, Formats, name="attach-formats"):
    """Set the module's `tt.formats`: candidates of rewrites are priced in them."""

    def run(self, module: ir.Module) -> None:
        """Set the attribute."""
        module.operation.attributes[FORMATS] = ir.StringAttr.get(self.text)
