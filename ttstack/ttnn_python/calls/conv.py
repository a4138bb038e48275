"""Convolutions: weights on the host, which the library prepares, those of images once for all passes."""

from typing import Any

from ttstack.ops.windows import low_and_high, per_axis
from ttstack.ttnn_python.calls.eltwise import activation
from ttstack.ttnn_python.calls.pool import padding
from ttstack.ttnn_python.calls.table import PREPARED, Statement, calls
from ttstack.ttnn_python.expression import Call, Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError, data_type, layout, memory_layout


@calls("conv2d")
def conv2d(o: PlacedOp) -> Expression:
    """Windows of images."""
    found = call("conv2d", **_operands(o, _pixels(o)), **_images(o), **_configs(o))
    return call("reshape", found, list(o.op.results[0].shape), memory_config=o.memory)


def prepare(o: PlacedOp) -> Statement:
    """The weights of windows of images in tiles, on the device."""
    weight = o.operand("weight")
    assert weight is not None
    given = o.at("input")[1]
    prepared = call(
        "prepare_conv_weights",
        weight_tensor=weight,
        weights_format="OIHW",
        input_memory_config=o.constants.memory(given, o.at("input")[0]),
        input_layout=layout(given),
        has_bias=o.operand("bias") is not None,
        input_dtype=data_type(given.dtype),
        output_dtype=o.dtype,
        **_sizes(o),
        **_images(o),
        conv_config=_config(o),
        compute_config=o.compute,
    )
    return (weight.text,), prepared


PREPARED["conv2d"] = prepare


def _images(o: PlacedOp) -> dict[str, Any]:
    _, height, width, _ = o.op.sizes
    return {
        "input_height": height,
        "input_width": width,
        "kernel_size": [w.kernel for w in o.op.windows],
        "stride": [w.stride for w in o.op.windows],
        "padding": padding(o.op.windows),
        "dilation": [w.dilation for w in o.op.windows],
    }


@calls("conv1d")
def conv1d(o: PlacedOp) -> Expression:
    """Windows of sequences, channels last."""
    order = list(o.op.order)
    last = order == [0, 1, 2]
    (window,) = o.op.windows
    found = call(
        "conv1d",
        **_operands(o, o.operand("input") if last else call("permute", o.operand("input"), order)),
        input_length=o.op.sizes[1],
        kernel_size=window.kernel,
        stride=window.stride,
        padding=[window.low, window.high],
        dilation=window.dilation,
        **_configs(o),
    )
    shape = o.op.results[0].shape
    rows = call("reshape", found, [shape[d] for d in order])
    return rows if last else call("permute", rows, [order.index(d) for d in range(3)], memory_config=o.memory)


@calls("conv_transpose2d")
def conv_transpose2d(o: PlacedOp) -> Expression:
    """Windows of what is spread apart."""
    rows = _pixels(o)
    _, height, width, _ = o.op.sizes
    given = {name: list(per_axis(name, getattr(o.op, name), 2)) for name in ("stride", "dilation", "output_padding")}
    pads = low_and_high(o.op.padding, 2)
    even = all(low == high for low, high in pads)
    found = call(
        "conv_transpose2d",
        **_operands(o, rows),
        input_height=height,
        input_width=width,
        kernel_size=list(o.op.weight.shape[2:]),
        padding=[low for low, _ in pads] if even else [side for pair in pads for side in pair],
        **given,
        **_configs(o),
    )
    return call("reshape", found, list(o.op.results[0].shape))


def _pixels(o: PlacedOp) -> Call:
    """Images with all their pixels in one dimension."""
    n, height, width, channels = o.op.sizes
    if tuple(o.op.order) != (0, 1, 2, 3):
        raise NoCallError("a convolution of images that are not NHWC")
    return call("reshape", o.operand("input"), [1, 1, n * height * width, channels])


def _operands(o: PlacedOp, rows: Any) -> dict[str, Any]:
    bias = o.operand("bias")
    return {
        "input_tensor": rows,
        "weight_tensor": o.operand("weight"),
        "bias_tensor": None if bias is None else call("reshape", bias, [1, 1, 1, o.op.out_channels]),
        **_sizes(o),
    }


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
    source = o.device_op.operands[0]
    kind = memory_layout(source.memory_layout) if source.sharded else None
    return call(
        "Conv2dConfig",
        weights_dtype=data_type(o.at("weight")[1].dtype),
        activation=activation(o.op.activation) if o.op.activation else None,
        shard_layout=kind,
        output_layout=layout(o.result[1]),
        config_tensors_in_dram=True,
    )
