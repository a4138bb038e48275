"""Norms."""

from ttstack.device.group_norm import has_form
from ttstack.ops.types import DType
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type

SUBBLOCK = 4
"""Most tiles of a row that a sharded norm computes at a time, with any width of sums."""


@calls("layer_norm", "rms_norm")
def trailing_norm(o: PlacedOp) -> Expression:
    """Statistics over the last dimension."""
    if len(o.op.normalized_shape) != 1:
        raise NoCallError(f"a norm over the last {len(o.op.normalized_shape)} dimensions: reshape them to one")
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
    """By groups of channels, which come last, on the shards that cores hold."""
    layout = o.at("input")[1]
    if not has_form(o.op) or layout.grid is None:
        raise NoCallError("a group norm in another form than the library's: `decompose-norms` writes it out")
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
    """By statistics that are given; channels are the second of four dimensions."""
    if o.op.operand.rank != 4 or o.op.dimension != 1:
        raise NoCallError(f"a batch norm along dimension {o.op.dimension} of rank {o.op.operand.rank}: NCHW only")
    names = {"running_mean": "mean", "running_var": "variance", "weight": "scale", "bias": "offset"}
    given = {k: o.operand(v) for k, v in names.items()}
    return o.unary("batch_norm", **given, eps=o.op.epsilon, training=False)


@calls("distributed_layer_norm", "distributed_rms_norm")
def distributed_norm(o: PlacedOp) -> Expression:
    """Statistics of each chip, gathered, and the norm by all of them."""
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
    """An operand in a format that the second half of a norm over chips takes: not in blocks."""
    found = o.operand(place)
    if found is None or not o.at(place)[1].dtype.is_block:
        return found
    return call("typecast", found, data_type(DType.BF16))
