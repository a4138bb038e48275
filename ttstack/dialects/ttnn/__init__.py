"""The `ttnn` dialect: device ops with layouts, core grid and program configuration."""

from ttstack.dialects.ttnn.dialect import TTNN
from ttstack.dialects.ttnn.generic import build_generic

__all__ = ["TTNN", "build_generic"]
