"""PyTorch ops that are computed by formulas of other ops, as functions that PyTorch traces."""

from collections.abc import Callable
from typing import Any

from torch._ops import OperatorBase

from ttstack.frontends.torch.formulas import bits, copies, factors, jacobi, polynomials, special, statistics

FORMULAS: dict[OperatorBase, Callable[..., Any]] = {
    op: how
    for family in (bits, copies, factors, jacobi, polynomials, special, statistics)
    for op, how in family.FORMULAS.items()
}
"""The formula of each op, by op."""
