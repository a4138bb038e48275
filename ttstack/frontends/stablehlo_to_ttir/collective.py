"""Tensors distributed over the devices of a mesh and collected, and collectives between devices.

Outside of a computation on shards, each group of a collective must be a single device.
"""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.elements import read_elements
from ttstack.dialects.ttir.build import splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.body import kind
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.collective import REDUCTIONS
from ttstack.ops.devices import Mesh

CONVERSIONS = StablehloConversionTable()

_HINT = "export the model for one device, or with shard_map; ttir.mesh_shard and TTIR's collectives describe several"


@CONVERSIONS("@SPMDFullToShardShape", to="mesh_shard")
def _to_shards(call: StablehloOp) -> ir.Value:
    return _between(call, "full_to_shard")


@CONVERSIONS("@SPMDShardToFullShape", to="mesh_shard")
def _from_shards(call: StablehloOp) -> ir.Value:
    return _between(call, "shard_to_full")


def _between(call: StablehloOp, direction: str) -> ir.Value:
    dims, parts = call.integers("tt.shard_dims"), call.integers("tt.shard_shape")
    how = "replicate" if set(dims) == {-1} else "devices"
    return ttir.mesh_shard(
        call.tensor(0), shard_type=how, shard_direction=direction, shard_shape=parts, shard_dims=dims
    )


@CONVERSIONS("all_reduce", to="all_reduce")
def _all_reduced(call: StablehloOp) -> Sequence[ir.Value]:
    """Reduce along each axis of the groups in turn."""
    values = list(call.operands)
    for axis in _axes(call):
        values = [ttir.all_reduce(v, reduce_type=_reduction(call), cluster_axis=axis) for v in values]
    return values


@CONVERSIONS("all_gather", to="all_gather")
def _gather(call: StablehloOp) -> Sequence[ir.Value]:
    """Gather along the last axis first, as devices are numbered."""
    values, dim = list(call.operands), call.integer("all_gather_dim")
    for axis in reversed(_axes(call)):
        values = [_resize("all_gather", call, v, dim, axis, all_gather_dim=dim) for v in values]
    return values


@CONVERSIONS("reduce_scatter", to="reduce_scatter")
def _scatter(call: StablehloOp) -> Sequence[ir.Value]:
    values, dim = list(call.operands), call.integer("scatter_dimension")
    for axis in _axes(call):
        attributes = {"scatter_dim": dim, "reduce_type": _reduction(call)}
        values = [_resize("reduce_scatter", call, v, dim, axis, **attributes) for v in values]
    return values


@CONVERSIONS("all_to_all", to="all_to_all")
def _exchange(call: StablehloOp) -> Sequence[ir.Value]:
    groups = _groups(call)
    if groups is None:
        return call.operands
    split, joined, count = (call.integer(n) for n in ("split_dimension", "concat_dimension", "split_count"))
    given = {"split_dim": split, "concat_dim": joined, "split_count": count, "replica_groups": groups}
    return [ttir.all_to_all(v, **given) for v in call.operands]


@CONVERSIONS("collective_broadcast", to="collective_broadcast")
def _broadcast(call: StablehloOp) -> Sequence[ir.Value]:
    groups = _groups(call)
    return call.operands if groups is None else [ttir.collective_broadcast(call.tensor(0), replica_groups=groups)]


@CONVERSIONS("collective_permute", to="collective_permute full")
def _permute(call: StablehloOp) -> ir.Value:
    """Return a single device's own values, or 0 if it receives none."""
    pairs = read_elements(call.attribute("source_target_pairs"))
    if "tt.mesh" in call.op.attributes:
        return ttir.collective_permute(call.tensor(0), source_target_pairs=_table(pairs))
    if np.any(pairs):
        call.refuse(f"sends between devices {pairs.tolist()}", _HINT)
    return call.tensor(0) if pairs.size else splat(0, call.result)


def _resize(mnemonic: str, call: StablehloOp, value: ir.Value, dim: int, axis: int, **attributes: object) -> ir.Value:
    """Build a collective that scales one dimension by the number of devices along the axis."""
    before = read_type(value.type)
    shape, count = list(before.shape), Mesh(call.integers("tt.mesh")).extent(axis)
    shape[dim] = shape[dim] * count if mnemonic == "all_gather" else shape[dim] // count
    return ttir.build(mnemonic, value, result=before.with_shape(tuple(shape)), cluster_axis=axis, **attributes)


def _reduction(call: StablehloOp) -> str:
    found = kind(call.block())
    if found not in REDUCTIONS:
        call.refuse("combines values by another function than a sum, the least or the greatest", _HINT)
    return str(found)


def _groups(call: StablehloOp) -> tuple[tuple[int, ...], ...] | None:
    """Return the groups of devices; None if all are single devices."""
    groups = read_elements(call.attribute("replica_groups"))
    if groups.ndim == 2 and groups.shape[-1] <= 1:
        return None
    if groups.ndim != 2 or "tt.mesh" not in call.op.attributes:
        call.refuse(f"is among {groups.shape[-1]} devices", _HINT)
    return _table(groups)


def _table(rows: np.ndarray) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(n) for n in row) for row in rows)


def _axes(call: StablehloOp) -> tuple[int, ...]:
    """Return the mesh axes of the groups; none for single devices."""
    groups = _groups(call)
    if groups is None:
        return ()
    mesh = Mesh(call.integers("tt.mesh"))
    choices = (((1,), mesh.groups(1)), ((0,), mesh.groups(0)), ((0, 1), mesh.groups(None)))
    axes = next((axes for axes, meant in choices if sorted(groups) == sorted(meant)), None)
    if axes is None:
        call.refuse(f"is among devices {list(map(list, groups))}, not along an axis of the mesh {mesh}", _HINT)
    return axes
