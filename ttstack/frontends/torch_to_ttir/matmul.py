"""Contractions. Weights stay as they lie: `linear` reads them transposed."""

from collections.abc import Iterable, Sequence

from ttstack.dialects.ttir.build import permuted, reshaped, ttir
from ttstack.frontends.conversion.values import cast, elementwise
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.mlir import ir

CONVERSIONS = ConversionTable()


@CONVERSIONS("linear", to="linear matmul")
def _linear(call: Call) -> ir.Value:
    """`x @ weight^T + bias`."""
    x, weight, bias = call.tensor(0), call.tensor(1), call.optional(2)
    if bias is None:
        return ttir("matmul", [x, weight], transpose_b=True)
    return ttir("linear", [x, weight, bias], transpose_b=True)


@CONVERSIONS("matmul", "mm", "bmm", "mv", "dot", to="matmul")
def _matmul(call: Call) -> ir.Value:
    """A product with broadcast batch dimensions."""
    return ttir("matmul", [cast(call.tensor(i), call.result.dtype) for i in (0, 1)])


@CONVERSIONS("addmm", "baddbmm", to="linear matmul multiply add")
def _addmm(call: Call) -> ir.Value:
    """`beta * bias + alpha * (a @ b)`."""
    bias, a, b = (call.tensor(i) for i in range(3))
    beta, alpha = call.number(3), call.number(4)
    if alpha == beta == 1:
        return ttir("linear", [a, b, bias])
    product = ttir("matmul", [a, b])
    if alpha != 1:
        product = elementwise("multiply", alpha, product, result=call.result)
    if beta == 0:
        return product
    scaled = bias if beta == 1 else elementwise("multiply", beta, bias, result=call.result)
    return elementwise("add", scaled, product, result=call.result)


@CONVERSIONS("outer", to="multiply reshape")
def _outer(call: Call) -> ir.Value:
    """Every product of two elements."""
    rows, columns = call.result.shape
    a, b = reshaped(call.tensor(0), (rows, 1)), reshaped(call.tensor(1), (1, columns))
    return elementwise("multiply", a, b, result=call.result)


@CONVERSIONS("einsum", to="dot_general permute sum")
def _einsum(call: Call) -> ir.Value:
    """A general contraction of two tensors, then the order of the result."""
    inputs, arrow, output = call.text(0).replace(" ", "").partition("->")
    terms, tensors = inputs.split(","), call.tensors(1)
    if len(terms) != 2 or not arrow or any(len(set(t)) < len(t) or "." in t for t in (*terms, output)):
        call.refuse(
            f"has the equation `{call.text(0)}`", "write it with two operands, `->`, and each letter once a term"
        )
    (left, a), (right, b) = (
        _summed(term, x, kept=output + other) for term, x, other in zip(terms, tensors, reversed(terms), strict=True)
    )
    shared = [c for c in left if c in right]
    batch, inner = [c for c in shared if c in output], [c for c in shared if c not in output]
    product = ttir(
        "dot_general",
        [a, b],
        batch_dims_lhs=_places(left, batch),
        contract_dims_lhs=_places(left, inner),
        batch_dims_rhs=_places(right, batch),
        contract_dims_rhs=_places(right, inner),
    )
    order = [*batch, *(c for c in left + right if c not in shared)]
    return permuted(product, _places(order, output))


def _summed(term: str, x: ir.Value, kept: str) -> tuple[str, ir.Value]:
    """Without the dimensions that no other term has."""
    lone = [c for c in term if c not in kept]
    if lone:
        x = ttir("sum", [x], keep_dim=False, dim_arg=_places(term, lone))
    return "".join(c for c in term if c in kept), x


def _places(letters: Sequence[str], wanted: Iterable[str]) -> tuple[int, ...]:
    return tuple(letters.index(c) for c in wanted)
