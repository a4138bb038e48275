"""Kinds of models: how each is recognized, and the module that reads it."""

from ttstack.frontends.readers.kind import FrameworkFile, ModuleFile, SourceModel
from ttstack.frontends.readers.table import FILES, kind_of

__all__ = ["FILES", "FrameworkFile", "ModuleFile", "SourceModel", "kind_of"]
