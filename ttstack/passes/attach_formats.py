"""Write the formats that users ask for into the module, where the passes before placement read them."""

from typing import Self

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import FORMATS
from ttstack.placement.options import Formats


class AttachFormats(Pass, Formats, name="attach-formats"):
    """Set the module's `tt.formats`: candidates of rewrites are priced in them."""

    @classmethod
    def from_options(cls, options: Formats) -> Self:
        """The pass as a compilation asks for it."""
        return cls(**{name: getattr(options, name) for name in Formats.model_fields})

    def run(self, module: ir.Module) -> None:
        """Set the attribute."""
        module.operation.attributes[FORMATS] = ir.StringAttr.get(self.text)
