"""Convolutions: the library prepares weights on the host once."""

from typing import Any

from ttstack.device.circular_buffers.convolution import input_cores, keeps_columns, lists_too_many_runs
from ttstack.device.device_op import SPREADS
from ttstack.device.halo import has_own_shards
from ttstack.device.layout import MemorySpace
from ttstack.device.matmul_blocks import MatmulBlocks
from ttstack.ops.types import TILE
from ttstack.ops.windows import Window, low_and_high, per_axis
from ttstack.ttnn_python.calls.eltwise import activation
from ttstack.ttnn_python.calls.pool import padding
from ttstack.ttnn_python.calls.table import PREPARED, Statement, calls
from ttstack.ttnn_python.expression import Call, Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, cores, data_type, layout, memory_layout

_RANK = 4
"""Rank of the weights of 2-D convolutions."""


@calls("conv1d", "conv2d")
def conv2d(o: PlacedOp) -> Expression:
    """Call a 2-D convolution; a sequence is an image of one row."""
    return call("conv2d", **_operands(o), **_images(o), **_configs(o), slice_config=_slices(o))


def _slices(o: PlacedOp) -> Name | None:
    """Return the option that stops the library from slicing images in DRAM and leaving results there."""
    to_l1 = o.device_op.operands[0].memory_space is MemorySpace.DRAM and o.result[1].in_l1
    return Name("ttnn.Conv2dL1FullSliceConfig") if to_l1 else None


@calls("conv_transpose2d")
def conv_transpose2d(o: PlacedOp) -> Expression:
    """Call a transposed convolution."""
    return call("conv_transpose2d", **_operands(o), **_spread_images(o), **_configs(o), dram_slice_config=_slices(o))


def prepare(o: PlacedOp) -> Statement:
    """Prepare the weights of a convolution in tiles, on the device."""
    return _prepared(o, "prepare_conv_weights", "OIHW", _images(o))


def prepare_conv_transpose(o: PlacedOp) -> Statement:
    """Prepare the weights of a transposed convolution."""
    return _prepared(o, "prepare_conv_transpose2d_weights", "IOHW", _spread_images(o))


PREPARED.update(conv1d=prepare, conv2d=prepare, conv_transpose2d=prepare_conv_transpose)


def _prepared(o: PlacedOp, function: str, order: str, images: dict[str, Any]) -> Statement:
    weight, (t, given) = o.operand("weight"), o.at("input")
    assert weight is not None
    prepared = call(
        function,
        weight_tensor=weight if o.op.weight.rank == _RANK else call("reshape", weight, _of_images(o)),
        weights_format=order,
        input_memory_config=o.constants.memory(given, t),
        input_layout=layout(given),
        has_bias=o.operand("bias") is not None,
        input_dtype=data_type(given.dtype),
        output_dtype=o.dtype,
        **_sizes(o),
        **images,
        conv_config=_config(o),
        compute_config=o.compute,
    )
    return (weight.text,), prepared


def _images(o: PlacedOp) -> dict[str, Any]:
    *_, height, width, _ = (1, *o.op.sizes)
    one = (Window(size=1, kernel=1, stride=1, dilation=1, low=0, high=0),) * (2 - len(o.op.windows))
    windows = (*one, *o.op.windows)
    return {
        "input_height": 1 if one else height,
        "input_width": width,
        "kernel_size": [w.kernel for w in windows],
        "stride": [w.stride for w in windows],
        "padding": padding(windows),
        "dilation": [w.dilation for w in windows],
    }


def _spread_images(o: PlacedOp) -> dict[str, Any]:
    _, height, width, _ = o.op.sizes
    given = {name: list(per_axis(name, getattr(o.op, name), 2)) for name in ("stride", "dilation", "output_padding")}
    pads = low_and_high(o.op.padding, 2)
    even = all(low == high for low, high in pads)
    return {
        "input_height": height,
        "input_width": width,
        "kernel_size": list(o.op.weight.shape[2:]),
        "padding": [low for low, _ in pads] if even else [side for pair in pads for side in pair],
        **given,
    }


def _of_images(o: PlacedOp) -> list[int]:
    """Return the weight shape of a sequence as that of images of one row."""
    *outer, columns = o.op.weight.shape
    return [*outer, 1, columns]


def _operands(o: PlacedOp) -> dict[str, Any]:
    weight, bias = (_on_host(o, place) for place in ("weight", "bias"))
    return {
        "input_tensor": o.operand("input"),
        "weight_tensor": weight,
        "bias_tensor": None if bias is None else call("reshape", bias, [1, 1, 1, o.op.out_channels]),
        **_sizes(o),
    }


def _on_host(o: PlacedOp, place: str) -> Expression | None:
    """Return the operand on the host, from which the library prepares weights; computed ones are copied back."""
    found = o.operand(place)
    if found is None:
        return None
    held = found.text in o.on_host
    rows = found if held else call("from_device", call("to_layout", found, Name("ttnn.ROW_MAJOR_LAYOUT")))
    as_it_is = place == "bias" or o.op.weight.rank == _RANK or o.prepared
    return rows if as_it_is else call("reshape", rows, _of_images(o))


def _sizes(o: PlacedOp) -> dict[str, Any]:
    return {
        "device": Name("device"),
        "in_channels": o.op.channels,
        "out_channels": o.op.out_channels,
        "batch_size": o.op.batch,
        "groups": o.op.groups,
    }


def _configs(o: PlacedOp) -> dict[str, Any]:
    return {
        "dtype": o.dtype,
        "conv_config": _config(o),
        "compute_config": o.compute,
        "memory_config": o.memory,
    }


def _config(o: PlacedOp) -> Call:
    return call(
        "Conv2dConfig",
        weights_dtype=data_type(o.at("weight")[1].dtype),
        activation=activation(o.op.activation) if o.op.activation else None,
        **_shards(o),
        output_layout=layout(o.result[1]),
        config_tensors_in_dram=True,
    )


def _shards(o: PlacedOp) -> dict[str, Any]:
    """Return the cores and blocks of placement; convolutions that are matmuls use their defaults."""
    source, spread = o.device_op.operands[0], o.device_op.spread
    if not has_own_shards(o.device_op):
        return {"shard_layout": memory_layout(source.memory_layout) if source.sharded else None}
    if lists_too_many_runs(o.device_op):
        width = o.op.sliding.windows[-1].count
        raise NoCallError(f"result images are {width} pixels wide, which exceeds the kernel's limit per core")
    blocks, grid = MatmulBlocks.of(o.device_op), input_cores(o.device_op)
    return {
        "shard_layout": memory_layout(next(kind for kind, of in SPREADS.items() if of is spread)),
        "core_grid": None if grid is None else cores(grid),
        "override_sharding_config": grid is not None or None,
        "override_output_sharding_config": keeps_columns(o.device_op) or None,
        "reshard_if_not_optimal": True,
        "act_block_h_override": TILE * blocks.out_block_h if blocks.out_block_h != blocks.per_core_m else None,
    }
