"""Every kind of model: what it looks like, and the one module that reads it."""

from ttstack.frontends.readers.kind import FileKind, SourceModel
from ttstack.frontends.readers.table import FILES, kind_of

__all__ = ["FILES", "FileKind", "SourceModel", "kind_of"]
