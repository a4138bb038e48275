"""Kernels by op mnemonic: plain NumPy callables, `kernel(*operands, **attributes)`, one module a family.

An absent optional operand is None, a variadic operand is spread over the positional arguments, and attributes
have the names of the op's definition. bf16 and f16 arrays come in widened to float32; the caller converts a
result to the element type of the op's result.

A kernel of an op that spans a mesh takes, in place of each array, a list with the array of each device, and the
mesh as keyword `mesh`; it gives a list too.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from ttstack.ops import OPS
from ttstack_runtime.kernels.table import Kernel, KernelTable

FAMILIES = (
    "eltwise",
    "reduction",
    "shape",
    "sort",
    "state",
    "creation",
    "matmul",
    "fourier",
    "memory",
    "normalization",
    "embedding",
    "tensor_train",
    "indexing",
    "attention",
    "block_sparse",
    "linear_bias",
    "rotary",
    "decode",
    "kv_cache",
    "conv",
    "pool",
    "quantization",
    "training",
    "collective",
    "distributed",
    "mesh",
    "moe",
    "token_exchange",
)
"""The modules that define kernels, each called as that of its ops, and imported when one of them is run."""


OTHERS = KernelTable()
"""Kernels of ops that plug-ins define: `@kernels.OTHERS`."""


def find(mnemonic: str) -> Kernel | None:
    """Return the kernel of the op `mnemonic`, if its family defines it."""
    spec = OPS.get(mnemonic)
    if spec is None:
        return None
    found = of_family(spec.family) if spec.family in FAMILIES else OTHERS.by_name
    return found.get(mnemonic)


@cache
def of_family(name: str) -> Mapping[str, Kernel]:
    """The kernels of a family by mnemonic: its table `KERNELS`."""
    return import_module(f"{__name__}.{name}").KERNELS.by_name


def mnemonics() -> frozenset[str]:
    """All ops that have a kernel."""
    return frozenset(name for family in FAMILIES for name in of_family(family))
