"""PyTorch models: a module, an exported program or a factory's name, to the torch dialect and to TTIR."""

from ttstack.frontends.torch.export import export
from ttstack.frontends.torch.importer import Imported, import_program
from ttstack.frontends.torch.model import ImportedModel, import_torch
from ttstack.frontends.torch.run import run_torch
from ttstack.frontends.torch.signature import Argument, GraphOutput
from ttstack.frontends.torch.training import export_step, load_step

__all__ = [
    "Argument",
    "GraphOutput",
    "Imported",
    "ImportedModel",
    "export",
    "export_step",
    "import_program",
    "import_torch",
    "load_step",
    "run_torch",
]
