"""Reasons why PyTorch ops have no conversion, and workarounds."""

from collections.abc import Mapping
from types import MappingProxyType

_RANDOM = """bernoulli bernoulli.p cauchy exponential geometric log_normal multinomial normal_functional
    normal.Tensor_Tensor normal.Tensor_float normal.float_Tensor normal.float_float rand rand_like randint randint_like
    randn randn_like randperm uniform"""
_ITERATED = """igamma igammac special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l
    special_legendre_polynomial_p"""
_SOLVERS = """_linalg_eigvals linalg_eig linalg_eigvals linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq"""


def _because(why: str, names: str) -> dict[str, str]:
    return {f"torch.aten.{name}": why for name in names.split()}


REASONS: Mapping[str, str] = MappingProxyType(
    _because("it draws random numbers: make them an input of the model", _RANDOM)
    | _because("it factors matrices: do so before the export, if they are weights", _SOLVERS)
    | _because("it iterates as often as its values say: compute it before the export", _ITERATED)
    | _because("it changes the table as it reads it: bound the rows before the export", "embedding_renorm")
)
"""By the op's name, text that replaces a suggestion of the closest supported op."""
