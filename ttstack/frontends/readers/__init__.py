"""Every kind of model: what it looks like, and the one module that reads it."""

from ttstack.frontends.readers.kind import FrameworkFile, ModuleFile, SourceModel
from ttstack.frontends.readers.table import FILES, kind_of

__all__ = ["FILES", "FrameworkFile", "ModuleFile", "SourceModel", "kind_of"]
