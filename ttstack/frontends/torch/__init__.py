"""PyTorch models: a module, an exported program or a factory's name, to the torch dialect and to TTIR."""

from ttstack.frontends.torch.export import export
from ttstack.frontends.torch.importer import Imported, import_program
from ttstack.frontends.torch.model import ImportedModel, import_torch
from ttstack.frontends.torch.signature import Argument, GraphOutput

__all__ = ["Argument", "GraphOutput", "Imported", "ImportedModel", "export", "import_program", "import_torch"]
