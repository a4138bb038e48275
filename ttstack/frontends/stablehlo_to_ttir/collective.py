"""Collectives: a program is that of one device, so each of its groups must be that device alone."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.elements import read_elements
from ttstack.frontends.conversion.values import splat
from ttstack.frontends.stablehlo_to_ttir.call import Call
from ttstack.frontends.stablehlo_to_ttir.table import ConversionTable
from ttstack.mlir import ir

CONVERSIONS = ConversionTable()

_HINT = "export the model for one device; ttir.mesh_shard and TTIR's collectives describe several"


@CONVERSIONS("all_gather", "all_reduce", "all_to_all", "collective_broadcast", "reduce_scatter", to="")
def _alone(call: Call) -> Sequence[ir.Value]:
    """Nothing: the device's own values."""
    groups = read_elements(call.attribute("replica_groups"))
    if groups.ndim != 2 or groups.shape[-1] > 1:
        call.refuse(f"is among {groups.shape[-1]} devices", _HINT)
    return call.operands


@CONVERSIONS("collective_permute", to="full")
def _permuted(call: Call) -> ir.Value:
    """The device's own values, or 0 where it gets none."""
    pairs = read_elements(call.attribute("source_target_pairs"))
    if np.any(pairs):
        call.refuse(f"sends between devices {pairs.tolist()}", _HINT)
    return call.tensor(0) if pairs.size else splat(0, call.result)
