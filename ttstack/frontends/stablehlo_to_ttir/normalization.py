"""Batch normalization: one op for inference, formulas with the batch's own statistics for training."""

from functools import partial

from ttstack.dialects.ttir.build import elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("batch_norm_inference", to="batch_norm_inference add rsqrt subtract multiply")
def _inference(call: StablehloOp) -> ir.Value:
    """Compute `(x - mean) / sqrt(variance + epsilon) * scale + offset`."""
    x, scale, offset, mean, variance = (call.tensor(i) for i in range(5))
    dim, epsilon = call.integer("feature_index"), call.attribute("epsilon").value
    if 2 <= call.result.rank <= 5:
        operands = [x, scale, offset, mean, variance]
        return ttir.batch_norm_inference(*operands, epsilon=epsilon, dimension=dim)
    return _normalize(call, _line(call, mean), _line(call, variance))


@CONVERSIONS("batch_norm_training", to="mean subtract square add rsqrt multiply reshape")
def _training(call: StablehloOp) -> list[ir.Value]:
    """Compute the result, and the batch's mean and variance."""
    mean = _mean(call, call.tensor(0))
    centred = elementwise("subtract", call.tensor(0), mean, result=call.result)
    variance = _mean(call, ttir.square(centred))
    flat = [reshape_to(v, call.types[1].shape) for v in (mean, variance)]
    return [_normalize(call, mean, variance), *flat]


@CONVERSIONS("batch_norm_grad", to="sum multiply subtract add rsqrt reshape")
def _gradient(call: StablehloOp) -> list[ir.Value]:
    """Compute gradients of the operand, of the scale and of the offset."""
    x, scale, mean, variance, gradient = (call.tensor(i) for i in range(5))
    f = partial(elementwise, result=call.result)
    spread = ttir.rsqrt(elementwise("add", _line(call, variance), _epsilon(call), result=call.result))
    centred = f("subtract", x, _line(call, mean))
    whitened = f("multiply", centred, spread)
    d_scale, d_offset = _sum(call, f("multiply", gradient, whitened)), _sum(call, gradient)
    count = call.result.size // max(call.types[1].size, 1)
    inner = f("subtract", f("multiply", gradient, float(count)), d_offset)
    inner = f("subtract", inner, f("multiply", whitened, d_scale))
    factor = f("multiply", f("multiply", _line(call, scale), spread), 1 / count)
    return [f("multiply", factor, inner), *(reshape_to(v, call.types[1].shape) for v in (d_scale, d_offset))]


def _normalize(call: StablehloOp, mean: ir.Value, variance: ir.Value) -> ir.Value:
    f = partial(elementwise, result=call.result)
    spread = ttir.rsqrt(f("add", variance, _epsilon(call)))
    centred = f("multiply", f("subtract", call.tensor(0), mean), spread)
    return f("add", f("multiply", centred, _line(call, call.tensor(1))), _line(call, call.tensor(2)))


def _epsilon(call: StablehloOp) -> float:
    return call.attribute("epsilon").value


def _line(call: StablehloOp, values: ir.Value) -> ir.Value:
    """Reshape a value per feature to the dimension of features."""
    dim = call.integer("feature_index")
    return reshape_to(values, tuple(e if d == dim else 1 for d, e in enumerate(call.types[0].shape)))


def _others(call: StablehloOp) -> tuple[int, ...]:
    return tuple(d for d in range(call.types[0].rank) if d != call.integer("feature_index"))


def _mean(call: StablehloOp, x: ir.Value) -> ir.Value:
    dims = _others(call)
    return ttir.mean(x, keep_dim=True, dim_arg=dims) if dims else x


def _sum(call: StablehloOp, x: ir.Value) -> ir.Value:
    dims = _others(call)
    return ttir.sum(x, keep_dim=True, dim_arg=dims) if dims else x
