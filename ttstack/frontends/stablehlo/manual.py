"""Computations on shards, such as JAX's `shard_map`: shardings of their tensors, and the mesh."""

import re
from collections.abc import Iterator

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo.sharding import Sharding, read_sharding
from ttstack.mlir import ir
from ttstack.ops.devices import Mesh

TO_SHARDS, FROM_SHARDS = "SPMDFullToShardShape", "SPMDShardToFullShape"

_SHARDING, _CONFIG = "mhlo.sharding", "backend_config"
_FREE = re.compile(r"unspecified_dims=\[[\d,]*\]")
"""Dimensions that XLA may shard over non-manual axes of the mesh; here they are not sharded."""

_HINT = "give shard_map the whole mesh, of at most two axes, and tensors that axes divide evenly"


def divide(module: ir.Module) -> None:
    """Write mesh information for the conversion into every op that communicates with other devices.

    A sharding becomes the dimension that is divided over each axis of the mesh, and the number of parts of each
    dimension; a collective gets the extents of the mesh. The mesh is the first one, with rows before columns and as few
    rows as possible, that fits all shardings of the module.

    Raises:
        UnsupportedOpError: a sharding is unknown, or does not fit such a mesh.
    """
    ops = list(_ops(module))
    shardings = [(op, _sharding(op)) for op in ops if "call_target_name" in op.attributes]
    if not shardings:
        return
    _erase_inside(module)
    devices = max(len(sharding.places) or 1 for _, sharding in shardings)
    mesh = next((m for m in _meshes(devices) if all(s.dims(m) is not None for _, s in shardings)), None)
    if mesh is None:
        raise _refusal(shardings[0][0], f"is part of a division over {devices} devices that are not a mesh of two axes")
    for op in ops:
        op.attributes["tt.mesh"] = ir.DenseI64ArrayAttr.get(list(mesh.shape))
    for op, sharding in shardings:
        op.attributes["tt.shard_dims"] = ir.DenseI64ArrayAttr.get(list(sharding.dims(mesh) or ()))
        op.attributes["tt.shard_shape"] = ir.DenseI64ArrayAttr.get(list(sharding.parts))
        if _CONFIG in op.attributes and _FREE.fullmatch(str(getattr(op.attributes[_CONFIG], "value", ""))):
            del op.attributes[_CONFIG]


def _erase_inside(module: ir.Module) -> None:
    """Erase mesh information in regions of collectives, whose scalars have no shards."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if (
            _target(op) == "Sharding"
            and op.parent is not None
            and op.parent.name != "func.func"
            and len(op.operands) == len(op.results) == 1
        ):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()


def _ops(module: ir.Module) -> Iterator[ir.Operation]:
    """Yield the ops between a tensor and its shards, and those with groups of devices."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if _target(op) in (TO_SHARDS, FROM_SHARDS) or {"replica_groups", "source_target_pairs"} & {*op.attributes}:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return iter(found)


def _target(op: ir.Operation) -> str:
    """Return the target of a custom call; an empty string for other ops."""
    return ir.StringAttr(op.attributes["call_target_name"]).value if "call_target_name" in op.attributes else ""


def _sharding(op: ir.Operation) -> Sharding:
    """Return the sharding of a full tensor, from the `@Sharding` before the call, or from the unsharding call."""
    divides = _target(op) == TO_SHARDS
    if len(op.operands) != 1 or len(op.results) != 1:
        raise _refusal(op, f"has {len(op.operands)} operands and {len(op.results)} results, expected one of each")
    whole = op.operands[0] if divides else op.results[0]
    owner = defining_op(whole)
    said = None if owner is None else owner.attributes.get(_SHARDING)
    if not isinstance(said, ir.StringAttr):
        raise _refusal(op, "divides a tensor of unknown sharding")
    try:
        return read_sharding(said.value, read_type(whole.type).rank)
    except ValueError as e:
        raise _refusal(op, f"has no counterpart: {e}") from e


def _meshes(devices: int) -> Iterator[Mesh]:
    return (Mesh((rows, devices // rows)) for rows in range(1, devices + 1) if devices % rows == 0)


def _refusal(op: ir.Operation, why: str) -> UnsupportedOpError:
    return UnsupportedOpError(f"`@{_target(op)}` {why}", loc=read_location(op.location) or None, hint=_HINT)
