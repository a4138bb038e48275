"""The torch dialect to TTIR, one file a family."""

from types import MappingProxyType

from ttstack.frontends.torch_to_ttir import (
    approximations,
    attention,
    composite,
    conv,
    convert,
    creation,
    distances,
    einsum,
    eltwise,
    embedding,
    indexing,
    lists,
    matmul,
    normalization,
    pad,
    pool,
    recurrent,
    reduction,
    resize,
    scans,
    scatter,
    search,
    shape,
    shuffle,
    sort,
    special,
    tensor_train,
    volumes,
)
from ttstack.mlir import ir

FAMILIES = (
    approximations,
    attention,
    composite,
    conv,
    creation,
    distances,
    einsum,
    eltwise,
    embedding,
    indexing,
    lists,
    matmul,
    normalization,
    pad,
    pool,
    recurrent,
    reduction,
    resize,
    scans,
    scatter,
    search,
    shape,
    shuffle,
    sort,
    special,
    tensor_train,
    volumes,
)

CONVERSIONS = MappingProxyType({n: c for family in FAMILIES for n, c in family.CONVERSIONS.by_name.items()})
"""Every torch op that becomes TTIR, by name: what the docs list."""

__all__ = ["CONVERSIONS", "FAMILIES", "torch_to_ttir"]


def torch_to_ttir(module: ir.Module) -> None:
    """Convert a module of the torch dialect in place; argument and result order stay.

    Raises:
        UnsupportedOpError: ops without a conversion, all of them; or all uses of ops in a form that has none.
    """
    convert.convert(module, CONVERSIONS)
