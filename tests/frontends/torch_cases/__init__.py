"""Calls of PyTorch whose values a conversion must give, one file a family."""

from tests.frontends.torch_cases import (
    activations,
    creation,
    decomposed,
    dropout,
    eltwise,
    factors,
    gradients,
    images,
    lookups,
    products,
    reductions,
    search,
    shapes,
    special,
)

FAMILIES = (
    activations,
    creation,
    decomposed,
    dropout,
    eltwise,
    factors,
    gradients,
    images,
    lookups,
    products,
    reductions,
    search,
    shapes,
    special,
)

CASES = {name: case for family in FAMILIES for name, case in family.CASES.items()}

__all__ = ["CASES"]
