"""Control flow: branches, and unrolled loops."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, TypeProto

from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.frontends.limits import ROUNDS
from ttstack.frontends.onnx.evaluate import Array
from ttstack.frontends.onnx.types import static_shape


class Walker(Protocol):
    """The graph walker that control flow uses."""

    known: dict[str, Array]
    types: dict[str, TypeProto]

    def type_of(self, name: str) -> TypeProto:
        """Return the type of a value."""
        ...

    def graph(self, graph: GraphProto, bound: Mapping[str, str], prefix: str) -> list[str]:
        """Walk a body whose inputs are the values in `bound`; return the values of its outputs."""
        ...

    def node(self, node: NodeProto) -> None:
        """Walk one more node."""
        ...


def name_of(node: NodeProto) -> str:
    """Return the node's name, or that of its first result."""
    return node.name or next(iter(node.output), "")


def take_branch(node: NodeProto, walker: Walker) -> list[str]:
    """Return the values of an `If`: those of one branch, or a choice of each if the condition is not constant."""
    if node.input[0] in walker.known:
        taken = "then_branch" if walker.known[node.input[0]].item() else "else_branch"
        return walker.graph(_body(node, taken), {}, f"{name_of(node)}/")
    both = [walker.graph(_body(node, name), {}, f"{name_of(node)}/{name}/") for name in ("then_branch", "else_branch")]
    chosen: list[str] = []
    for i, (yes, no) in enumerate(zip(*both, strict=True)):
        if not walker.type_of(yes).HasField("tensor_type"):
            raise _refuse(node, f"chooses between values that are not tensors: result {i}")
        if walker.type_of(yes) != walker.type_of(no):
            raise _refuse(node, f"gives another shape or type by its branches: result {i}")
        chosen.append(f"{name_of(node)}/{i}")
        walker.node(onnx.helper.make_node("Where", [node.input[0], yes, no], [chosen[-1]], name_of(node)))
    return chosen


def scan(node: NodeProto, walker: Walker) -> list[str]:
    """Unroll a `Scan`, whose trip count is the extent of what it scans; return states, then stacked results."""
    body, attributes = _body(node, "body"), {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    scanned = attributes["num_scan_inputs"]
    states, sources = list(node.input[: len(node.input) - scanned]), list(node.input[len(node.input) - scanned :])
    rows: list[list[str]] = [[] for _ in body.output[len(states) :]]
    axes, backward = (attributes.get(f"scan_input_{name}", [0] * scanned) for name in ("axes", "directions"))
    shape = static_shape(walker.type_of(sources[0]))
    assert shape is not None, "shapes are known before a node is walked"
    count = shape[axes[0]]
    if count > ROUNDS:
        raise _refuse(node, f"runs for more than {ROUNDS} iterations")
    for i in range(count):
        prefix, given = f"{name_of(node)}/{i}/", list[str]()
        for k, source in enumerate(sources):
            at, row = f"{prefix}{k}#", f"{prefix}{k}"
            walker.known[at] = np.array(count - 1 - i if backward[k] else i)
            walker.node(onnx.helper.make_node("Gather", [source, at], [row], name_of(node), axis=axes[k]))
            given.append(row)
        results = walker.graph(body, dict(zip((v.name for v in body.input), (*states, *given), strict=True)), prefix)
        states = results[: len(states)]
        for stack, row in zip(rows, results[len(states) :], strict=True):
            stack.append(row)
    last, turned = (attributes.get(f"scan_output_{name}", [0] * len(rows)) for name in ("axes", "directions"))
    ordered = [stack[::-1] if turned[k] else stack for k, stack in enumerate(rows)]
    return [*states, *(stack_values(node, stack, last[k], walker) for k, stack in enumerate(ordered))]


def unroll(node: NodeProto, walker: Walker) -> list[str]:
    """Unroll a `Loop` with a constant number of iterations; return carried values, then stacked ones."""
    body = _body(node, "body")
    count, condition, *carried = (*node.input, "", "")[: max(2, len(node.input))]
    limit = int(known_values(node, count, walker, "its trip count").item()) if count else None
    scanned: list[list[str]] = [[] for _ in body.output[1 + len(carried) :]]
    i = 0
    while (limit is None or i < limit) and (not condition or _truth(node, condition, walker, "its condition")):
        if i == ROUNDS:
            raise _refuse(node, f"runs for more than {ROUNDS} iterations")
        prefix = f"{name_of(node)}/{i}/"
        number, go_on = f"{prefix}#", condition or f"{prefix}?"
        walker.known |= {number: np.array(i), **({} if condition else {go_on: np.array(True)})}
        formal = [value.name for value in body.input]
        bound = dict(zip(formal, (number, go_on, *carried), strict=True))
        condition, *results = walker.graph(body, bound, prefix)
        carried = results[: len(carried)]
        for values, value in zip(scanned, results[len(carried) :], strict=True):
            values.append(value)
        i += 1
    if scanned and not i:
        raise _refuse(node, "does not run once, so the shapes of its stacked results are unknown")
    return [*carried, *(stack_values(node, values, 0, walker) for values in scanned)]


CONTROL_FLOW = {"If": take_branch, "Loop": unroll, "Scan": scan}
"""Ops with bodies, and the functions that replace them."""


def _body(node: NodeProto, name: str) -> GraphProto:
    found = next((a.g for a in node.attribute if a.name == name and a.HasField("g")), None)
    if found is None:
        raise SourceError(f"`{node.op_type}` has no {name}", loc=name_of(node) or None, hint="export it again")
    return found


def stack_values(node: NodeProto, values: Sequence[str], axis: int, walker: Walker) -> str:
    """Stack values along a new dimension, by additional nodes."""
    prefix = f"{name_of(node)}/{axis}/{values[0]}/"
    walker.known[f"{prefix}axes"] = np.array([axis])
    rows = [f"{prefix}{i}" for i in range(len(values))]
    for value, row in zip(values, rows, strict=True):
        walker.node(onnx.helper.make_node("Unsqueeze", [value, f"{prefix}axes"], [row], name_of(node)))
    walker.node(onnx.helper.make_node("Concat", rows, [prefix], name_of(node), axis=axis))
    return prefix


def _truth(node: NodeProto, name: str, walker: Walker, what: str) -> bool:
    return bool(known_values(node, name, walker, what).item())


def known_values(node: NodeProto, name: str, walker: Walker, what: str) -> Array:
    """Return the values of an operand that must be constant."""
    if name not in walker.known:
        raise _refuse(node, f"cannot be compiled: {what} depends on the values of a run")
    return walker.known[name]


def _refuse(node: NodeProto, why: str) -> UnsupportedOpError:
    hint = "decide before the export, with torch.where, or with a trip count that is a constant"
    return UnsupportedOpError(f"`{node.op_type}` {why}", loc=name_of(node) or None, hint=hint)
