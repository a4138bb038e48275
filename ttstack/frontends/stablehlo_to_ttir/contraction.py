"""Contractions of any dimensions."""

from ttstack.dialects.ttir.build import cast, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.conversion.einsum import EINSUM, einsum
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir, stablehlo

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("dot_general", to="dot_general matmul")
def _dot_general(call: StablehloOp) -> ir.Value:
    """Contract in the element type of the result."""
    numbers = stablehlo.DotDimensionNumbers(call.attribute("dot_dimension_numbers"))
    return _contract(
        call,
        (tuple(numbers.lhs_batching_dimensions), tuple(numbers.rhs_batching_dimensions)),
        (tuple(numbers.lhs_contracting_dimensions), tuple(numbers.rhs_contracting_dimensions)),
    )


@CONVERSIONS("dot", to="dot_general matmul")
def _dot(call: StablehloOp) -> ir.Value:
    """Contract the last dimension with the first one."""
    return _contract(call, ((), ()), ((call.types[0].rank - 1,), (0,)))


_Sides = tuple[tuple[int, ...], tuple[int, ...]]


def _contract(call: StablehloOp, batch: _Sides, inner: _Sides) -> ir.Value:
    left, right = (cast(call.tensor(i), call.result.dtype) for i in (0, 1))
    if not call.result.size or 0 in (call.types[0].shape[d] for d in inner[0]):
        return splat(0, call.result)
    if not inner[0]:
        left, right = (reshape_to(v, (*t.shape, 1)) for v, t in zip((left, right), call.types, strict=True))
        inner = (call.types[0].rank,), (call.types[1].rank,)
    return ttir.dot_general(
        left,
        right,
        batch_dims_lhs=batch[0],
        batch_dims_rhs=batch[1],
        contract_dims_lhs=inner[0],
        contract_dims_rhs=inner[1],
    )


@CONVERSIONS("einsum", "unary_einsum", to=EINSUM)
def _einsum(call: StablehloOp) -> ir.Value:
    """Compute an Einstein summation."""
    equation = call.attribute("einsum_config").value
    _check_letters(call, equation)
    if 0 in (t.size for t in call.types):
        return splat(0, call.result)
    return einsum(equation, [cast(v, call.result.dtype) for v in call.operands], call.result)


def _check_letters(call: StablehloOp, equation: str) -> None:
    """Check that each dimension has a letter, unique in the result."""
    inputs, _, output = equation.replace(" ", "").replace("...", "").partition("->")
    terms = inputs.split(",")
    fits = len(terms) == len(call.types) and set(output) <= set(inputs) and len(set(output)) == len(output)
    for term, t in zip(terms, call.types, strict=False):
        fits &= len(term) == t.rank or ("..." in equation and len(term) < t.rank)
    if not fits or not all(c.isalpha() for c in "".join((*terms, output))):
        shapes = ", ".join(map(str, call.types))
        call.refuse(f"has the equation {equation!r}, which does not fit {shapes}", "write it as jax.numpy.einsum does")
