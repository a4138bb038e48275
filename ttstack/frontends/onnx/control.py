"""Static control flow: branches with constant conditions, and unrolled loops."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import onnx
from onnx import GraphProto, NodeProto

from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.frontends.limits import ROUNDS
from ttstack.frontends.onnx.evaluate import Array


class Walker(Protocol):
    """The graph walker that control flow uses."""

    known: dict[str, Array]

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
    """Return the values of an `If` with a constant condition."""
    condition = _truth(node, node.input[0], walker, "its condition")
    taken = "then_branch" if condition else "else_branch"
    return walker.graph(_body(node, taken), {}, f"{name_of(node)}/")


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


CONTROL_FLOW = {"If": take_branch, "Loop": unroll}
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
