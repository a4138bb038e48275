"""Reductions along one dimension, which stays with an extent of 1."""

from functools import partial

from ttstack.dialects.ttir.build import cast
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp
from ttstack.mlir import ir

CONVERSIONS = TosaConversionTable()

_KINDS = {
    "reduce_sum": "sum",
    "reduce_product": "prod",
    "reduce_max": "max",
    "reduce_min": "min",
    "reduce_all": "reduce_and",
    "reduce_any": "reduce_or",
}


def _reduce(mnemonic: str, call: TosaOp) -> ir.Value:
    _expect_nan_propagates(call)
    return cast(ttir.build(mnemonic, call.tensor(0), keep_dim=True, dim_arg=(call.integer("axis"),)), call.result.dtype)


for _source, _mnemonic in _KINDS.items():
    CONVERSIONS.add([_source], [_mnemonic], partial(_reduce, _mnemonic))


@CONVERSIONS("argmax", to="argmax")
def _argmax(call: TosaOp) -> ir.Value:
    """Return the first of equal ones."""
    _expect_nan_propagates(call)
    return ttir.argmax(call.tensor(0), result=call.result, keep_dim=False, dim_arg=(call.integer("axis"),))


def _expect_nan_propagates(call: TosaOp) -> None:
    if call.word("nan_mode", "propagate") != "propagate":
        call.refuse("ignores NaN", "use nan_mode PROPAGATE")
