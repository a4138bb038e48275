"""Stores the device description in the module, for later passes."""

from ttstack.dialects.tt.system_desc import SYSTEM_DESC, system_desc_attribute
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.system_desc import SystemDesc, load
from ttstack.system_desc.at_release import at_release


class AttachSystemDesc(Pass, name="attach-system-desc"):
    """Set `tt.system_desc` of the module, in place of an earlier one."""

    system_desc: str | SystemDesc = "wormhole"
    """A description, the name of a preset, or a path."""
    ttnn: str = ""
    """Release of `ttnn` whose kernels run on the device; the description's own release if empty."""

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
