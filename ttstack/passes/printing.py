"""How modules are printed while passes run."""

from dataclasses import dataclass

from ttstack.dialects.text import print_module
from ttstack.dialects.text.parts import ops_of
from ttstack.mlir import ir


@dataclass(frozen=True)
class Printing:
    """What of a module is printed; values have names from the source."""

    only: str = ""
    """The mnemonic of ops, or a part of their locations; all ops if empty."""
    device: bool = False
    """Whether the description of a preset is printed too."""

    def text(self, module: ir.Module, *, constants: bool = True) -> str:
        """Return the text of a module; it parses to the same module unless ops or constants are left out."""
        text = print_module(module, locations=True, value_names=True, constants=constants, device=self.device)
        return ops_of(text, self.only) + "\n" if self.only else text
