"""Ops that create a tensor from attributes."""

from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import constant, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()


@CONVERSIONS("constant", to="constant full")
def _constant(call: StablehloOp) -> ir.Value:
    """Use `full` for a splat; large constants are parameters."""
    elements, t = call.attribute("value"), call.result
    if elements.is_splat and t.rank and t.dtype is not DType.I1:
        return splat(read_elements(elements).reshape(-1)[0].item(), t)
    return constant(read_elements(elements), t)


@CONVERSIONS("iota", to="arange constant")
def _iota(call: StablehloOp) -> ir.Value:
    """Count 0, 1, ... along one dimension."""
    dim, t = call.integer("iota_dimension"), call.result
    if t.size == 0:
        return splat(0, t)
    return ttir.arange(result=t, start=0, end=t.shape[dim], step=1, arange_dimension=dim)


@CONVERSIONS("get_dimension_size", to="full")
def _get_dimension_size(call: StablehloOp) -> ir.Value:
    """Return the extent from the type."""
    return splat(call.types[0].shape[call.integer("dimension")], call.result)


@CONVERSIONS("partition_id", "replica_id", to="full")
def _first_device(call: StablehloOp) -> ir.Value:
    """Return 0: the program runs on one device."""
    return splat(0, call.result)
