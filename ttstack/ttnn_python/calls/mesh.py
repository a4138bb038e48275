"""Tensors between the host and the chips of a mesh."""

from typing import Any

from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.ops.mesh import dims_by_axis
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Item, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_DEVICE = Name("device")


@calls("mesh_shard")
def mesh_shard(o: PlacedOp) -> Expression:
    """Distribute shards or copies of a tensor to all chips, or collect it from them."""
    if o.op.shard_type == "maximal":
        raise NoCallError("a tensor on only one chip of a mesh")
    return _distributed(o) if o.op.to_devices else _joined(o)


def _distributed(o: PlacedOp) -> Expression:
    given = o.device_op.operands[0]
    x = o.operands[0] if given.memory_space is MemorySpace.SYSTEM_MEMORY else _first(o.operands[0])
    return _placed(o, call("distribute_tensor", x, _mapper(o), _DEVICE))


def _joined(o: PlacedOp) -> Expression:
    """Concatenate shards on the host, and copy the result to all chips if the program uses it."""
    x = o.as_result(0)
    whole = call("aggregate_tensor", x, _composer(o)) if o.op.divides else _first(x)
    if o.device_op.results[0].memory_space is MemorySpace.SYSTEM_MEMORY:
        return whole
    return _placed(o, call("distribute_tensor", whole, call("replicate_tensor_to_mesh_mapper", _DEVICE), _DEVICE))


def _first(x: Expression) -> Item:
    """Return the tensor of the first chip, on the host."""
    return Item(call("get_device_tensors", call("from_device", x)), 0)


def _placed(o: PlacedOp, found: Expression) -> Expression:
    """Convert an interleaved tensor in DRAM to the result's format and memory."""
    given, wanted = o.device_op.operands[0], o.device_op.results[0]
    if given.dtype != wanted.dtype:
        return o.cast(found, given.dtype)
    there = Layout(wanted.dtype, wanted.tiled, MemorySpace.DRAM, MemoryLayout.INTERLEAVED)
    return found if wanted == there else call("to_memory_config", found, o.memory)


def _mapper(o: PlacedOp) -> Call:
    """Return the mapper: which dimension is divided over the rows of the mesh, and which over its columns."""
    if not o.op.divides:
        return call("replicate_tensor_to_mesh_mapper", _DEVICE)
    rows, cols = dims_by_axis(o.op.shard_dims)
    if rows == cols:
        return call("shard_tensor_to_mesh_mapper", _DEVICE, rows)
    dims = {name: dim for name, dim in (("row_dim", rows), ("col_dim", cols)) if dim >= 0}
    return call("create_mesh_mapper", _DEVICE, call("MeshMapperConfig", **dims))


def _composer(o: PlacedOp) -> Call:
    """Return the composer, which concatenates shards; along a replicated axis it uses the first chip."""
    dims, parts, rank = dims_by_axis(o.op.shard_dims), o.op.shard_shape, o.op.input.rank
    if dims[0] == dims[1]:
        return call("concat_mesh_to_tensor_composer", _DEVICE, dims[0])
    chips = [parts[dim] if dim >= 0 else 1 for dim in dims]
    if rank == 1:
        return _of_vector(dims, chips)
    free = next((d for d in range(rank) if d not in dims), 0)
    shape = call("MeshShape", *chips)
    along = [dim if dim >= 0 else free for dim in dims]
    return call("create_mesh_composer", _DEVICE, call("MeshComposerConfig", *along, mesh_shape_override=shape))


def _of_vector(dims: tuple[int, ...], chips: list[int]) -> Call:
    """Return the composer of a vector: 2-D meshes concatenate two dimensions, chips in order only one."""
    if dims[0] == 0 and chips[0] > 1:
        raise NoCallError("a tensor of one dimension that is sharded over mesh rows has no composer")
    override: dict[str, Any] = {"mesh_shape_override": call("MeshShape", chips[1:])}
    return call("create_mesh_composer", _DEVICE, call("MeshComposerConfig", [0], **override))
