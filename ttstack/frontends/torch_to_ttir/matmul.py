"""Contractions. Weights stay as they lie: `linear` reads them transposed."""

from ttstack.dialects.ttir.build import ttir
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.frontends.torch_to_ttir.table import ConversionTable
from ttstack.frontends.torch_to_ttir.values import cast, elementwise
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
