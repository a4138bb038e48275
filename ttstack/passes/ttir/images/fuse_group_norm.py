"""Group norms that a model decomposes to layer norms of reshaped images."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import broadcast_to, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.normalization import LayerNorm
from ttstack.passes.ttir.images.image_layout import Images, first
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.producers import find_producer

_IMAGE = 4
"""Rank of images."""


def spelled_group_norm(op: ir.Operation) -> list[ir.Value] | None:
    """Match images [N, C, H, W] reshaped to [N, groups, rest], normalized by row, and reshaped back.

    They become a group norm in channels-last layout. Constant factors and summands per group may follow the norm, as in
    ONNX's `InstanceNormalization`.
    """
    value, steps = op.operands[0], list[tuple[str, ir.Value]]()
    while (step := _with_known(value, "multiply", "add")) is not None:
        value, name, constant = step
        steps.append((name, constant))
    norm, groups = _norm_of_groups(value), read_type(value.type).shape
    before = None if norm is None else find_producer(norm.operands[0], "reshape")
    if norm is None or before is None or not _is_read_once(value):
        return None
    shape, images = read_type(op.results[0].type).shape, Images.behind(before.operands[0])
    same = len(shape) == _IMAGE and shape == read_type(before.operands[0].type).shape
    if images is None or not same or groups[0] != shape[0] or shape[1] % groups[1]:
        return None
    layer_norm = definition_of(norm)
    assert isinstance(layer_norm, LayerNorm)
    result = ttir.group_norm(images.apart, None, None, None, num_groups=groups[1], epsilon=layer_norm.epsilon)
    for name, constant in reversed(steps):
        result = ttir.build(name, result, _by_channel(constant, groups[1], shape[1]))
    return [first(result, images.sizes[:3])]


def _norm_of_groups(value: ir.Value) -> ir.Operation | None:
    """Return a layer norm of rows of [N, groups, rest], without weight and bias."""
    op = find_producer(value, "layer_norm")
    if op is None or len(op.operands) > 1:
        return None
    norm = definition_of(op)
    assert isinstance(norm, LayerNorm)
    return op if norm.input.rank == _IMAGE - 1 and norm.dims == (2,) else None


def _with_known(value: ir.Value, *names: str) -> tuple[ir.Value, str, ir.Value] | None:
    """Match an op of one of these names with a constant per group.

    Return the other operand, the name and the constant.
    """
    op, shape = find_producer(value, *names), read_type(value.type).shape
    if op is None or not _is_read_once(value) or len(shape) != _IMAGE - 1:
        return None
    for x, constant in (op.operands, reversed(op.operands)):
        by_group = read_type(constant.type).shape[-2:] == (shape[1], 1) and read_type(constant.type).size == shape[1]
        if by_group and is_known(constant) and read_type(x.type).shape == shape:
            return x, op.name.removeprefix("ttir."), constant
    return None


def _by_channel(by_group: ir.Value, groups: int, channels: int) -> ir.Value:
    """Repeat a number per group for each channel, along the last of four dimensions."""
    repeated = broadcast_to(reshape_to(by_group, (groups, 1)), (groups, channels // groups))
    return reshape_to(repeated, (1, 1, 1, channels))


def _is_read_once(value: ir.Value) -> bool:
    return len(list(value.uses)) == 1
