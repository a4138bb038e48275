"""The `ttir` dialect: named ops on tensors, and their dispatched form on tiles."""

from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.ttir.generic import GenericOp, YieldOp, build_generic, read_generic
from ttstack.dialects.ttir.layout import ToLayoutOp, build_to_layout

__all__ = ["TTIR", "GenericOp", "ToLayoutOp", "YieldOp", "build_generic", "build_to_layout", "read_generic"]
