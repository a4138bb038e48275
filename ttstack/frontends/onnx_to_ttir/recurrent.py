"""Recurrent layers, unrolled as PyTorch's; the gates of their weights are in another order."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ttstack.dialects.ttir.build import concat_along, constant, elementwise, permute_dims, reshape_to, slice_along
from ttstack.dialects.types import read_type
from ttstack.frontends.onnx_to_ttir.onnx_op import OnnxConversionTable, OnnxOp
from ttstack.frontends.torch_to_ttir.recurrent import (
    TARGETS,
    Cell,
    Direction,
    State,
    gates,
    linear,
    lstm_cell,
    rnn_cell,
)
from ttstack.mlir import ir

CONVERSIONS = OnnxConversionTable()

_BACKWARDS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


@CONVERSIONS("LSTM", to=f"{TARGETS} sigmoid tanh multiply")
def _lstm(call: OnnxOp) -> list[ir.Value]:
    """Unrolled over time and directions."""
    if not call.is_none(7):
        call.refuse("has peepholes", "leave out the input P")
    _expect_activations(call, ["sigmoid", "tanh", "tanh"])
    cell = partial(lstm_cell, order=(0, 2, 3, 1))
    return _unroll(call, [5, 6], lambda _direction: cell)


@CONVERSIONS("GRU", to=f"{TARGETS} sigmoid tanh multiply subtract")
def _gru(call: OnnxOp) -> list[ir.Value]:
    """Unrolled over time and directions."""
    _expect_activations(call, ["sigmoid", "tanh"])
    return _unroll(call, [5], partial(_gru_cell, late=bool(call.attribute("linear_before_reset", 0))))


@CONVERSIONS("RNN", to=f"{TARGETS} tanh relu")
def _rnn(call: OnnxOp) -> list[ir.Value]:
    """Unrolled over time and directions."""
    activations = [name.lower() for name in call.attribute("activations", ["Tanh"])]
    if len(set(activations)) > 1 or activations[0] not in ("tanh", "relu"):
        call.refuse(f"has the activations {', '.join(activations)}", "Tanh and Relu are supported")
    return _unroll(call, [5], lambda _direction: partial(rnn_cell, activations[0]))


def _gru_cell(direction: Direction, *, late: bool) -> Cell:
    """Create a GRU cell; with `late`, the reset gate applies after the state's matmul, otherwise before."""
    weights, bias = direction.weights[1], direction.biases[1]
    width = read_type(weights.type).shape[1]
    last = slice_along(weights, 0, 2 * width, 3 * width)
    last_bias = None if bias is None else slice_along(bias, 0, 2 * width, 3 * width)

    def cell(share: ir.Value, own: ir.Value, state: State) -> State:
        (hidden,) = state
        f = partial(elementwise, result=read_type(hidden.type))
        (keep, own_keep), (reset, own_reset), (new, own_new) = zip(gates(share, 3), gates(own, 3), strict=True)
        reset = f("sigmoid", f("add", reset, own_reset))
        own_new = f("multiply", reset, own_new) if late else linear(f("multiply", reset, hidden), last, last_bias)
        new = f("tanh", f("add", new, own_new))
        kept = f("multiply", f("sigmoid", f("add", keep, own_keep)), f("subtract", hidden, new))
        return (f("add", new, kept),)

    return cell


def _unroll(call: OnnxOp, states: list[int], cell_of: Callable[[Direction], Cell]) -> list[ir.Value]:
    """Return outputs [time, directions, batch, width], and the last states [directions, batch, width]."""
    _expect_plain(call)
    batch_first = bool(call.attribute("layout", 0))
    x = permute_dims(call.tensor(0), (1, 0, 2)) if batch_first else call.tensor(0)
    _, batch, _ = read_type(x.type).shape
    runs = []
    for at, backwards in enumerate(_BACKWARDS[call.attribute("direction", "forward")]):
        direction = _direction(call, at, backwards)
        start = [_state(call, i, at, batch, batch_first) for i in states]
        runs.append(direction.run(x, start, cell_of(direction)))
    output = concat_along([_stack(y, 1) for y, _ in runs], 1)
    ends = [concat_along([_stack(s, 0) for s in every], 0) for every in zip(*(last for _, last in runs), strict=True)]
    if batch_first:
        return [permute_dims(output, (2, 0, 1, 3)), *(permute_dims(end, (1, 0, 2)) for end in ends)][
            : len(call.results)
        ]
    return [output, *ends][: len(call.results)]


def _direction(call: OnnxOp, at: int, backwards: bool) -> Direction:
    weights, states = (_part(call.tensor(i), at) for i in (1, 2))
    if call.is_none(3):
        return Direction((weights, states), (None, None), backwards)
    both = _part(call.tensor(3), at)
    half = read_type(both.type).shape[0] // 2
    return Direction(
        (weights, states), (slice_along(both, 0, 0, half), slice_along(both, 0, half, 2 * half)), backwards
    )


def _state(call: OnnxOp, i: int, at: int, batch: int, batch_first: bool) -> ir.Value:
    """Return the first state of a direction; zeros by default."""
    if call.is_none(i):
        t = read_type(call.tensor(0).type).with_shape((batch, call.attribute("hidden_size", 0)))
        return constant(np.zeros(t.shape), t)
    states = call.tensor(i)
    return _part(permute_dims(states, (1, 0, 2)) if batch_first else states, at)


def _part(x: ir.Value, at: int) -> ir.Value:
    """Slice one direction, without its dimension."""
    return reshape_to(slice_along(x, 0, at, at + 1), read_type(x.type).shape[1:])


def _stack(x: ir.Value, dim: int) -> ir.Value:
    shape = read_type(x.type).shape
    return reshape_to(x, (*shape[:dim], 1, *shape[dim:]))


def _expect_activations(call: OnnxOp, usual: list[str]) -> None:
    given = [name.lower() for name in call.attribute("activations", [])]
    if any(name != usual[i % len(usual)] for i, name in enumerate(given)):
        call.refuse(f"has the activations {', '.join(given)}", f"the default ones are supported: {', '.join(usual)}")


def _expect_plain(call: OnnxOp) -> None:
    """Reject sequences of several lengths, clipping and coupled gates."""
    length = read_type(call.tensor(0).type).shape[1 if call.attribute("layout", 0) else 0]
    if not call.is_none(4) and any(n != length for n in call.integers_at(4)):
        call.refuse("takes sequences of several lengths", f"make all of length {length}")
    for name in ("clip", "input_forget"):
        if call.attribute(name, 0):
            call.refuse(f"has the attribute {name}", "leave it out")
