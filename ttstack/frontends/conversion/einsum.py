"""Einstein summation: diagonals, then contractions of two operands each, then a permutation."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from ttstack.dialects.ttir.build import broadcast_to, diagonal, elementwise, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

EINSUM = "dot_general permute sum reshape multiply broadcast slice_static squeeze"
"""The ops of an Einstein summation."""


@dataclass(frozen=True)
class _Term:
    """A tensor and a letter for each of its dimensions."""

    letters: str
    value: ir.Value

    @property
    def shape(self) -> tuple[int, ...]:
        return read_type(self.value.type).shape

    def places(self, letters: Sequence[str]) -> tuple[int, ...]:
        """Return the dimensions of these letters."""
        return tuple(map(self.letters.index, letters))


def einsum(equation: str, tensors: Sequence[ir.Value], result: TensorType) -> ir.Value:
    """Compute an Einstein summation, as `torch.einsum`: one contraction after the other."""
    letters, output = _spell(equation, [read_type(x.type).rank for x in tensors])
    terms = [_diagonal(_Term(term, x)) for term, x in zip(letters, tensors, strict=True)]
    while len(terms) > 1:
        left, right, *rest = terms
        kept = output + "".join(term.letters for term in rest)
        terms = [_contract(left, right, kept, result), *rest]
    (last,) = terms
    last = _sum_terms(last, output)
    return reshape_to(permute_dims(last.value, last.places(output)), result.shape)


def _spell(equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result: dots become letters, and an absent result is inferred."""
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    spare = [c for c in string.ascii_letters if c not in equation]
    dots = [rank - len(term.replace("...", "")) if "." in term else 0 for term, rank in zip(terms, ranks, strict=True)]
    most = "".join(spare[: max(dots)])
    terms = [term.replace("...", most[len(most) - count :]) for term, count in zip(terms, dots, strict=True)]
    if arrow:
        return terms, output.replace("...", most)
    alone = sorted(c for c in set(inputs) - set(".,") if inputs.count(c) == 1)
    return terms, most + "".join(alone)


def _diagonal(term: _Term) -> _Term:
    """Take the diagonal of dimensions that share a letter, which become the last one."""
    twice = next((c for c in term.letters if term.letters.count(c) > 1), None)
    if twice is None:
        return term
    first, second = term.letters.index(twice), term.letters.index(twice, term.letters.index(twice) + 1)
    rest = "".join(c for i, c in enumerate(term.letters) if i not in (first, second))
    return _diagonal(_Term(rest + twice, diagonal(term.value, 0, first, second)))


def _sum_terms(term: _Term, kept: str) -> _Term:
    """Sum over dimensions that no other operand or result has."""
    lone = [c for c in term.letters if c not in kept]
    if not lone:
        return term
    value = ttir.sum(term.value, keep_dim=False, dim_arg=term.places(lone))
    return _Term("".join(c for c in term.letters if c in kept), value)


def _contract(left: _Term, right: _Term, kept: str, result: TensorType) -> _Term:
    """Contract two operands, and sum over dimensions that neither the result nor another operand has."""
    left, right = _sum_terms(left, kept + right.letters), _sum_terms(right, kept + left.letters)
    shared = [c for c in left.letters if c in right.letters]
    left, right = _alike(left, right, shared), _alike(right, left, shared)
    batch, inner = [c for c in shared if c in kept], [c for c in shared if c not in kept]
    if not inner:
        return _multiply(left, right, result)
    product = ttir.dot_general(
        left.value,
        right.value,
        batch_dims_lhs=left.places(batch),
        contract_dims_lhs=left.places(inner),
        batch_dims_rhs=right.places(batch),
        contract_dims_rhs=right.places(inner),
    )
    return _Term("".join((*batch, *(c for c in left.letters + right.letters if c not in shared))), product)


def _alike(term: _Term, other: _Term, shared: Sequence[str]) -> _Term:
    """Repeat unit dimensions to the extents of the other operand."""
    shape = list(term.shape)
    for c in shared:
        at = term.letters.index(c)
        shape[at] = max(shape[at], other.shape[other.letters.index(c)])
    return _Term(term.letters, broadcast_to(term.value, tuple(shape)))


def _multiply(left: _Term, right: _Term, result: TensorType) -> _Term:
    """Multiply elementwise, without a sum."""
    letters = left.letters + "".join(c for c in right.letters if c not in left.letters)
    ordered = permute_dims(right.value, right.places([c for c in letters if c in right.letters]))
    extents = dict(zip(right.letters, right.shape, strict=True))
    spread = reshape_to(ordered, [extents.get(c, 1) for c in letters])
    lead = reshape_to(left.value, (*left.shape, *(1,) * (len(letters) - len(left.letters))))
    return _Term(letters, elementwise("multiply", lead, spread, result=result))
