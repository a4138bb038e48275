"""Op definitions: what every op is, once, for every level of the compiler and for the runtime."""

from ttstack.ops import (
    attention,
    collective,
    creation,
    distributed,
    eltwise,
    embedding,
    generic,
    matmul,
    mesh,
    normalization,
    reduction,
    shape,
)
from ttstack.ops.base import OPS, Op

FAMILIES = (attention, collective, distributed, creation, eltwise, embedding, generic, matmul, mesh, normalization, reduction, shape)

__all__ = ["FAMILIES", "OPS", "Op"]
