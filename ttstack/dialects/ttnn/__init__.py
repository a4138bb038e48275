"""The `ttnn` dialect: device ops, each with the layouts of its tensors, its grid and program configuration."""

from ttstack.dialects.ttnn.dialect import TTNN

__all__ = ["TTNN"]
