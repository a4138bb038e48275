"""The `ttnn` dialect: device ops, each with the layouts of its tensors, its grid and program configuration."""

from ttstack.dialects.ttnn.dialect import TTNN
from ttstack.dialects.ttnn.generic import build_generic

__all__ = ["TTNN", "build_generic"]
