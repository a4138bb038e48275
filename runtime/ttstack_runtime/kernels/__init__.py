"""Kernels by op mnemonic: plain NumPy callables, `kernel(*operands, **attributes)`, one module a family.

An absent optional operand is None, a variadic operand is spread over the positional arguments, and attributes
have the names of the op's definition. bf16 and f16 arrays come in widened to float32; the caller converts a
result to the element type of the op's result.

A kernel of an op that spans a mesh takes, in place of each array, a list with the array of each device, and the
mesh as keyword `mesh`; it gives a list too.
"""

from ttstack_runtime.kernels import (
    attention,
    collective,
    conv,
    creation,
    decode,
    distributed,
    eltwise,
    embedding,
    indexing,
    kv_cache,
    matmul,
    memory,
    mesh,
    moe,
    normalization,
    pool,
    quantization,
    reduction,
    rotary,
    shape,
    sort,
    state,
    tensor_train,
    token_exchange,
    training,
)
from ttstack_runtime.kernels.table import Kernel

FAMILIES = (
    eltwise,
    reduction,
    shape,
    sort,
    state,
    creation,
    matmul,
    memory,
    normalization,
    embedding,
    tensor_train,
    indexing,
    attention,
    rotary,
    decode,
    kv_cache,
    conv,
    pool,
    quantization,
    training,
    collective,
    distributed,
    mesh,
    moe,
    token_exchange,
)
"""The modules that define kernels; each has a table `KERNELS`."""


def find(mnemonic: str) -> Kernel | None:
    """Return the kernel of the op `mnemonic`, if any family defines it."""
    return next((k for f in FAMILIES if (k := f.KERNELS.by_name.get(mnemonic))), None)


def mnemonics() -> frozenset[str]:
    """All ops that have a kernel."""
    return frozenset(name for family in FAMILIES for name in family.KERNELS.by_name)
