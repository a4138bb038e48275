"""Norms."""

from ttstack.device.group_norm import has_form
from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type

SUBBLOCK = 4
"""Maximum tiles of a row that a sharded norm computes at a time, with any width of sums."""


@calls("layer_norm", "rms_norm")
def trailing_norm(o: PlacedOp) -> Expression:
    """Normalize over the last dimension."""
    if len(o.op.normalized_shape) != 1:
        raise NoCallError(f"a norm over the last {len(o.op.normalized_shape)}dimensions: reshape them to one dimension")
    return call(
        o.op.mnemonic,
        o.operand("input"),
        epsilon=o.op.epsilon,
        weight=o.operand("weight"),
        bias=o.operand("bias"),
        residual_input_tensor=o.operand("residual"),
        memory_config=o.memory,
        program_config=_sharded_program(o),
        compute_kernel_config=o.compute,
    )


def _sharded_program(o: PlacedOp) -> Call | None:
    t, layout = o.at("input")
    if not (layout.sharded and layout.in_l1) or layout.grid is None:
        return None
    rows, cols = layout.shard(t)
    return call(
        "LayerNormShardedMultiCoreProgramConfig",
        compute_with_storage_grid_size=call("CoreCoord", layout.grid.cols, layout.grid.rows),
        subblock_w=max(d for d in range(1, SUBBLOCK + 1) if cols % d == 0),
        block_h=rows,
        block_w=cols,
        inplace=False,
    )


@calls("group_norm")
def group_norm(o: PlacedOp) -> Expression:
    """Normalize by groups of channels, which are last, on the cores' shards."""
    layout = o.at("input")[1]
    if not has_form(o.op) or layout.grid is None:
        raise NoCallError("a group norm in a form that the library does not support: use the pass `decompose-norms`")
    return call(
        "group_norm",
        o.operand("input"),
        num_groups=o.op.num_groups,
        epsilon=o.op.epsilon,
        **{name: o.operand(name) for name in ("input_mask", "weight", "bias")},
        memory_config=o.memory,
        core_grid=call("CoreGrid", y=layout.grid.rows, x=layout.grid.cols),
        inplace=False,
        compute_kernel_config=o.compute,
    )


@calls("batch_norm_inference")
def batch_norm(o: PlacedOp) -> Expression:
    """Normalize by given statistics; channels are the second of four dimensions."""
    if o.op.operand.rank != 4 or o.op.dimension != 1:
        raise NoCallError(f"a batch norm along dimension {o.op.dimension} of rank {o.op.operand.rank}: NCHW only")
    names = {"running_mean": "mean", "running_var": "variance", "weight": "scale", "bias": "offset"}
    given = {k: o.operand(v) for k, v in names.items()}
    return o.unary("batch_norm", **given, eps=o.op.epsilon, training=False)


@calls("distributed_layer_norm", "distributed_rms_norm")
def distributed_norm(o: PlacedOp) -> Expression:
    """Gather the statistics of each chip, and normalize by all of them."""
    name = o.op.mnemonic.removeprefix("distributed_")
    x = o.operand("input")
    if o.operand("residual") is not None:
        x = call("add", x, o.operand("residual"), memory_config=o.memory)
    statistics = call(f"{name}_pre_all_gather", x, compute_kernel_config=o.compute)
    gathered = call("all_gather", statistics, dim=len(o.op.input.shape) - 1, cluster_axis=o.op.cluster_axis)
    places = ("weight", "bias") if name == "layer_norm" else ("weight",)
    given = {place: _unblocked(o, place) for place in places}
    return call(f"{name}_post_all_gather", x, gathered, epsilon=o.op.epsilon, **given, memory_config=o.memory)


def _unblocked(o: PlacedOp, place: str) -> Expression | None:
    """Return an operand without a block format, which the second half of a distributed norm does not support."""
    found = o.operand(place)
    if found is None or not o.at(place)[1].dtype.is_block:
        return found
    return call("typecast", found, data_type(DType.BF16))
