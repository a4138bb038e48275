"""Reductions over devices other than sums, which the library's all-reduce and reduce-scatter do not support."""

from collections.abc import Sequence
from functools import partial

from ttstack.dialects.base import definition_of
from ttstack.dialects.tt.system_desc import SYSTEM_DESC
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.collective import AllReduction, ReduceScatter
from ttstack.ops.devices import Mesh
from ttstack.passes.functions import system_desc
from ttstack.passes.rewriting.pattern import Pattern


def collectives(module: ir.Module) -> Sequence[tuple[str, Pattern]]:
    """Return patterns for the mesh of the module's device; none without a device."""
    if SYSTEM_DESC not in module.operation.attributes:
        return ()
    mesh = Mesh(system_desc(module).mesh_shape)
    names = ("all_reduce", "all_reduce_async")
    reductions = tuple((f"ttir.{name}", partial(_all_reduce, mesh)) for name in names)
    return (*reductions, ("ttir.reduce_scatter", partial(_reduce_scatter, mesh)))


def _all_reduce(mesh: Mesh, op: ir.Operation) -> list[ir.Value] | None:
    reduction = definition_of(op)
    assert isinstance(reduction, AllReduction)
    return None if reduction.reduce_type == "sum" else [_reduce(mesh, op.operands[0], reduction)]


def _reduce_scatter(mesh: Mesh, op: ir.Operation) -> list[ir.Value] | None:
    scatter = definition_of(op)
    assert isinstance(scatter, ReduceScatter)
    if scatter.reduce_type == "sum":
        return None
    whole = _reduce(mesh, op.operands[0], scatter)
    return [ttir.mesh_partition(whole, result=scatter.type, dim=scatter.scatter_dim, cluster_axis=scatter.cluster_axis)]


def _reduce(mesh: Mesh, value: ir.Value, reduction: AllReduction | ReduceScatter) -> ir.Value:
    """Gather the operands of all devices along the axis, and reduce them on each device."""
    t = read_type(value.type)
    count = mesh.extent(reduction.cluster_axis)
    own = reshape_to(value, (1, *t.shape))
    every = t.with_shape((count, *t.shape))
    gathered = ttir.all_gather(own, result=every, all_gather_dim=0, cluster_axis=reduction.cluster_axis)
    return ttir.build(reduction.reduce_type, gathered, keep_dim=False, dim_arg=(0,))
