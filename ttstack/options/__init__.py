"""How a model is compiled: one model of options for the command line, the Python API, pipelines and saved programs."""

from ttstack.options.model import CompileOptions

__all__ = ["CompileOptions"]
