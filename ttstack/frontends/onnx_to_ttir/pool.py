"""Pools with separate padding for each side."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.volumes import pool_images
from ttstack.mlir import ir

CONVERSIONS = OnnxConversionTable()


@CONVERSIONS("MaxPool", to="max_pool2d permute reshape")
def _max_pool(call: OnnxOp) -> list[ir.Value]:
    """Permute to channels last and back; one-dimensional inputs are images of height 1."""
    if len(call.results) > 1 and call.is_used(1):
        call.refuse("is used for more than its maxima", "the positions are not computed")
    return [_pool(call, "max_pool2d")] * len(call.results)


@CONVERSIONS("AveragePool", to="avg_pool2d permute reshape")
def _average_pool(call: OnnxOp) -> ir.Value:
    """Permute to channels last and back; one-dimensional inputs are images of height 1."""
    return _pool(call, "avg_pool2d", count_include_pad=bool(call.attribute("count_include_pad", 0)))


def _pool_volumes(call: OnnxOp, mnemonic: str, **more: bool) -> ir.Value:
    """Pool every slice as an image, then along the depth."""
    x = call.tensor(0)
    batch, channels, depth, height, width = read_type(x.type).shape
    kernel, stride, dilation = (
        call.attribute(name, []) or [1] * 3 for name in ("kernel_shape", "strides", "dilations")
    )
    pads = call.attribute("pads", []) or [0] * 6
    attributes = {**more, "ceil_mode": bool(call.attribute("ceil_mode", 0))}
    count, (rows, columns) = batch * channels, call.result.shape[3:]
    image = {"kernel": kernel[1:], "stride": stride[1:], "dilation": dilation[1:], "padding": (*pads[1:3], *pads[4:])}
    x = pool_images(x, (count * depth, height, width), mnemonic, {**attributes, **_tuples(image)})
    pair = {"kernel": (kernel[0], 1), "stride": (stride[0], 1), "dilation": (dilation[0], 1)}
    line = {**pair, "padding": (pads[0], 0, pads[3], 0)}
    x = pool_images(x, (count, depth, rows * columns), mnemonic, {**attributes, **_tuples(line)})
    return reshape_to(x, call.result.shape)


def _tuples(sides: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(values) for name, values in sides.items()}


def _pool(call: OnnxOp, mnemonic: str, **more: Any) -> ir.Value:
    x = call.tensor(0)
    batch, channels, *sizes = read_type(x.type).shape
    rank = len(sizes)
    if rank == 3:
        return _pool_volumes(call, mnemonic, **more)
    if rank > 3:
        call.refuse(f"pools {rank} dimensions", "1 to 3 are supported")
    lead = (0,) * (2 - rank)
    kernel, stride, dilation = (
        (*(1 for _ in lead), *(call.attribute(name, []) or [1] * rank))
        for name in ("kernel_shape", "strides", "dilations")
    )
    pads = call.attribute("pads", []) or [0] * 2 * rank
    overhangs = bool(call.attribute("ceil_mode", 0))
    if overhangs and set(dilation) == {1}:  # a window that is larger than the image sees what there is
        padded = [sum(size) for size in zip(sizes, pads[:rank], pads[rank:], strict=True)]
        kernel = (*kernel[: len(lead)], *map(min, kernel[len(lead) :], padded))
    images = permute_dims(reshape_to(x, (batch, channels, *(1 for _ in lead), *sizes)), (0, 2, 3, 1))
    pooled = ttir.build(
        mnemonic,
        images,
        kernel=kernel,
        stride=stride,
        dilation=dilation,
        padding=(*lead, *pads[:rank], *lead, *pads[rank:]),
        ceil_mode=overhangs,
        **more,
    )
    return reshape_to(permute_dims(pooled, (0, 3, 1, 2)), call.result.shape)
