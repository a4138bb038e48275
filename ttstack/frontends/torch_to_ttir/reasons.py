"""Reasons why PyTorch ops have no conversion, and workarounds."""

from collections.abc import Mapping
from types import MappingProxyType

_RANDOM = """bernoulli bernoulli.p exponential multinomial normal_functional rand rand_like randint randint_like
    randn randn_like randperm uniform"""
_SOLVERS = """inverse linalg_inv linalg_inv_ex linalg_solve _linalg_solve_ex linalg_cholesky linalg_cholesky_ex
    linalg_qr _linalg_svd _linalg_eigh _linalg_det _linalg_slogdet linalg_eig linalg_lu linalg_solve_triangular
    triangular_solve"""


def _because(why: str, names: str) -> dict[str, str]:
    return {f"torch.aten.{name}": why for name in names.split()}


REASONS: Mapping[str, str] = MappingProxyType(
    _because("it draws random numbers: make them an input of the model", _RANDOM)
    | _because("it factors matrices: do so before the export, if they are weights", _SOLVERS)
    | _because("it changes the table as it reads it: bound the rows before the export", "embedding_renorm")
)
"""By the op's name, text that replaces a suggestion of the closest supported op."""
