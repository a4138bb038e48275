"""Write the device description into the module, where the passes after it read it."""

from ttstack.dialects.tt.system_desc import system_desc_attribute
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import SYSTEM_DESC
from ttstack.system_desc import SystemDesc, load
from ttstack.system_desc.at_release import at_release


class AttachSystemDesc(Pass, name="attach-system-desc"):
    """Set the module's `tt.system_desc`, whatever it was."""

    system_desc: str | SystemDesc = "wormhole"
    """A description, a preset's name, or a path."""
    ttnn: str = ""
    """Release of `ttnn` whose kernels run on it; that of the description where empty."""

    def run(self, module: ir.Module) -> None:
        """Set the attribute."""
        given = self.system_desc
        desc = load(given) if isinstance(given, str) else given
        if self.ttnn:
            desc = at_release(desc, self.ttnn)
        module.operation.attributes[SYSTEM_DESC] = system_desc_attribute(desc)

    def __str__(self) -> str:
        given = self.system_desc
        release = f" ttnn={self.ttnn}" if self.ttnn else ""
        return f"{self.name}{{system-desc={given if isinstance(given, str) else given.name}{release}}}"
