"""The table of lowerings: the function that writes an op as loops over tensors."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ttstack.ops import OPS
from ttstack.passes.ttir_to_linalg.tensors import Dense

Lower = Callable[..., Dense | tuple[Dense, ...]]
"""Takes an op's definition and its operands by position, None for absent optional ones.

For an op that writes to operands, the new values of these come before its results."""

FAMILIES = (
    "eltwise",
    "reduction",
    "shape",
    "creation",
    "matmul",
    "normalization",
    "embedding",
    "indexing",
    "attention",
    "decode",
    "block_sparse",
    "linear_bias",
    "rotary",
    "kv_cache",
    "sort",
    "moe",
    "training",
    "tensor_train",
    "conv",
    "pool",
    "quantization",
    "state",
)
"""The modules that lower ops, named like the families, and imported on first use."""


class LoweringTable:
    """The lowerings of one family by op mnemonic."""

    def __init__(self) -> None:
        self.by_name: dict[str, Lower] = {}

    def __call__(self, *names: str) -> Callable[[Lower], Lower]:
        """Return a decorator that registers a function for ops of these names."""

        def register(function: Lower) -> Lower:
            self.by_name.update(dict.fromkeys(names, function))
            return function

        return register


@cache
def of_family(name: str) -> Mapping[str, Lower]:
    """Return the lowerings of a family by mnemonic."""
    return import_module(f"{__package__}.{name}").LOWERINGS.by_name


def find(mnemonic: str) -> Lower | None:
    """Return the lowering of an op; None if there is none."""
    spec = OPS.get(mnemonic)
    if spec is None or spec.family not in FAMILIES:
        return None
    return of_family(spec.family).get(mnemonic)


def mnemonics() -> frozenset[str]:
    """Return all ops that have a lowering."""
    return frozenset(name for family in FAMILIES for name in of_family(family))


def operands_of(op: Any, given: list[Dense]) -> list[Dense | None]:
    """Return the operands by position: None for an absent optional one, all of a variadic one."""
    rest, found = iter(given), list[Dense | None]()
    for name in op.operand_specs():
        value = getattr(op, name)
        if value is None:
            found.append(None)
        else:
            found += [next(rest) for _ in (value if isinstance(value, tuple) else (value,))]
    return found
