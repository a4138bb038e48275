"""The `ttir` dialect: named ops on tensors, and their dispatched form on tiles."""

from ttstack.dialects.region import read_nest
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.ttir.generic import TTIRGeneric, build_generic, read_source
from ttstack.dialects.ttir.layout import ToLayoutOp, build_to_layout

__all__ = ["TTIR", "TTIRGeneric", "ToLayoutOp", "build_generic", "build_to_layout", "read_nest", "read_source"]
