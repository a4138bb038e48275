"""Sequences of tensors, replaced at import by lists of value names."""

from typing import Protocol

import numpy as np
import onnx
from onnx import NodeProto

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.limits import ROUNDS
from ttstack.frontends.onnx.control import Walker, known_values, name_of, stack_values
from ttstack.frontends.onnx.types import static_shape


class Listing(Walker, Protocol):
    """A walker that supports sequences."""

    sequences: dict[str, list[str]]
    types: dict[str, onnx.TypeProto]


def _empty(_node: NodeProto, _walker: Listing) -> list[str]:
    return []


def _construct(node: NodeProto, _walker: Listing) -> list[str]:
    return list(node.input)


def _insert(node: NodeProto, walker: Listing) -> list[str]:
    values = list(walker.sequences[node.input[0]])
    at = _position(node, 2, walker) if len(node.input) > 2 else len(values)
    values.insert(at, node.input[1])
    return values


def _erase(node: NodeProto, walker: Listing) -> list[str]:
    values = list(walker.sequences[node.input[0]])
    del values[_position(node, 1, walker) if len(node.input) > 1 else -1]
    return values


def _split(node: NodeProto, walker: Listing) -> list[str]:
    shape = static_shape(walker.types[node.input[0]]) or ()
    attributes = {a.name: a.i for a in node.attribute}
    axis = attributes.get("axis", 0)
    each = known_values(node, node.input[1], walker, "its parts").reshape(-1) if len(node.input) > 1 else np.array([1])
    sizes = each.tolist() if each.size > 1 else [each.item()] * (shape[axis] // each.item())
    if left := shape[axis] - sum(sizes):
        sizes.append(left)
    if len(sizes) > ROUNDS:
        raise UnsupportedOpError(f"`{node.op_type}` gives more than {ROUNDS} tensors", loc=name_of(node))
    prefix = f"{name_of(node)}/"
    parts = [f"{prefix}{i}" for i in range(len(sizes))]
    walker.known[f"{prefix}sizes"] = np.array(sizes)
    walker.node(onnx.helper.make_node("Split", [node.input[0], f"{prefix}sizes"], parts, name_of(node), axis=axis))
    if len(node.input) == 1 and attributes.get("keepdims", 1) == 0:
        walker.known[f"{prefix}axes"] = np.array([axis])
        rows = [f"{part}/row" for part in parts]
        for part, row in zip(parts, rows, strict=True):
            walker.node(onnx.helper.make_node("Squeeze", [part, f"{prefix}axes"], [row], name_of(node)))
        return rows
    return parts


BUILT = {
    "SequenceEmpty": _empty,
    "SequenceConstruct": _construct,
    "SequenceInsert": _insert,
    "SequenceErase": _erase,
    "SplitToSequence": _split,
}
"""Ops that return a sequence, and the functions that find its values."""


def _at(node: NodeProto, walker: Listing) -> str:
    return walker.sequences[node.input[0]][_position(node, 1, walker)]


def _length(node: NodeProto, walker: Listing) -> str:
    walker.known[node.output[0]] = np.array(len(walker.sequences[node.input[0]]))
    return node.output[0]


def _join(node: NodeProto, walker: Listing) -> str:
    values = walker.sequences[node.input[0]]
    attributes = {a.name: a.i for a in node.attribute}
    if attributes.get("new_axis", 0):
        return stack_values(node, values, attributes["axis"], walker)
    walker.node(onnx.helper.make_node("Concat", values, node.output, name_of(node), axis=attributes["axis"]))
    return node.output[0]


def _compress(node: NodeProto, walker: Listing) -> str:
    """Gather the elements that a constant condition selects."""
    condition = known_values(node, node.input[1], walker, "its condition")
    axis = next((a.i for a in node.attribute if a.name == "axis"), None)
    source, name = node.input[0], node.output[0]
    if axis is None:
        line = f"{name}/line"
        walker.known[f"{name}/shape"] = np.array([-1])
        walker.node(onnx.helper.make_node("Reshape", [source, f"{name}/shape"], [line], name_of(node)))
        source = line
    walker.known[f"{name}/indices"] = np.flatnonzero(condition)
    indices = f"{name}/indices"
    walker.node(onnx.helper.make_node("Gather", [source, indices], [name], name_of(node), axis=axis or 0))
    return name


READ = {"SequenceAt": _at, "SequenceLength": _length, "ConcatFromSequence": _join, "Compress": _compress}
"""Ops that return a tensor whose shape depends on values, and the functions that find it."""


def _position(node: NodeProto, i: int, walker: Listing) -> int:
    at = int(known_values(node, node.input[i], walker, "its position").item())
    count = len(walker.sequences[node.input[0]])
    if not -count <= at <= count:
        raise UnsupportedOpError(f"`{node.op_type}` is at {at} of {count} tensors", loc=name_of(node))
    return at
