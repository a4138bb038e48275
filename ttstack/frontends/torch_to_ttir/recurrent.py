"""Recurrent layers, unrolled: one matmul of the input for all gates and time steps, and one of the state per step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ttstack.dialects.ttir.build import concat_along, elementwise, permute_dims, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.limits import ROUNDS
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import OF_MODULES
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()

TARGETS = "linear matmul slice_static reshape permute concat add"

State = Sequence[ir.Value]
"""Tensors [batch, width] that a time step passes on, its output first."""
Cell = Callable[[ir.Value, ir.Value, State], State]
"""Computes one time step from the input's and the state's parts of the gates, and the state."""


@dataclass(frozen=True)
class Direction:
    """One direction of one layer: its parameters, and the direction of time."""

    weights: tuple[ir.Value, ir.Value]
    biases: tuple[ir.Value | None, ir.Value | None]
    backwards: bool
    projection: ir.Value | None = None
    """The matrix that multiplies the output of a step before it is passed on."""

    def run(self, x: ir.Value, state: State, cell: Cell) -> tuple[ir.Value, State]:
        """Return outputs [time, batch, width] for inputs [time, batch, features], and the last state."""
        length, *_ = read_type(x.type).shape
        if length > ROUNDS:
            raise ValueError(f"runs for {length:,} time steps, which are unrolled; the limit is {ROUNDS:,}")
        shares, outputs = linear(x, self.weights[0], self.biases[0]), list[ir.Value]()
        for at in reversed(range(length)) if self.backwards else range(length):
            share = slice_along(shares, 0, at, at + 1)
            own = linear(state[0], self.weights[1], self.biases[1])
            output, *rest = cell(reshape_to(share, read_type(own.type).shape), own, state)
            state = [output if self.projection is None else linear(output, self.projection, None), *rest]
            outputs.append(reshape_to(state[0], (1, *read_type(state[0].type).shape)))
        return concat_along(outputs[::-1] if self.backwards else outputs, 0), state


def linear(x: ir.Value, weight: ir.Value, bias: ir.Value | None) -> ir.Value:
    """Multiply by the transpose of `weight`, and add the bias."""
    if bias is None:
        return ttir.matmul(x, weight, transpose_b=True)
    return ttir.linear(x, weight, bias, transpose_b=True)


@CONVERSIONS("lstm.input", to=f"{TARGETS} sigmoid tanh multiply")
def _lstm(call: TorchOp) -> list[ir.Value]:
    """Unroll over time, layers and directions."""
    return _unroll(call, call.tensors(1), lstm_cell)


@CONVERSIONS("gru.input", to=f"{TARGETS} sigmoid tanh multiply subtract")
def _gru(call: TorchOp) -> list[ir.Value]:
    """Unroll over time, layers and directions."""
    return _unroll(call, [call.tensor(1)], _gru_cell)


@CONVERSIONS("rnn_tanh.input", "rnn_relu.input", to=f"{TARGETS} tanh relu")
def _rnn(call: TorchOp) -> list[ir.Value]:
    """Unroll over time, layers and directions."""
    activation = "tanh" if "tanh" in call.name else "relu"
    return _unroll(call, [call.tensor(1)], partial(rnn_cell, activation))


def lstm_cell(share: ir.Value, own: ir.Value, state: State, order: Sequence[int] = range(4)) -> State:
    """Compute a step of an LSTM; `order` has the positions of input, forget, cell and output gate."""
    _, carried = state
    f = partial(elementwise, result=read_type(carried.type))
    found = gates(elementwise("add", share, own, result=read_type(own.type)), 4)
    enter, keep, new, leave = (found[i] for i in order)
    carried = f("add", f("multiply", f("sigmoid", keep), carried), f("multiply", f("sigmoid", enter), f("tanh", new)))
    return f("multiply", f("sigmoid", leave), f("tanh", carried)), carried


def _gru_cell(share: ir.Value, own: ir.Value, state: State) -> State:
    (hidden,) = state
    f = partial(elementwise, result=read_type(hidden.type))
    pairs = zip(gates(share, 3), gates(own, 3), strict=True)
    (reset, own_reset), (keep, own_keep), (new, own_new) = pairs
    new = f("tanh", f("add", new, f("multiply", f("sigmoid", f("add", reset, own_reset)), own_new)))
    kept = f("multiply", f("sigmoid", f("add", keep, own_keep)), f("subtract", hidden, new))
    return (f("add", new, kept),)


def rnn_cell(activation: str, share: ir.Value, own: ir.Value, state: State) -> State:
    """Compute a step of a plain recurrent layer."""
    f = partial(elementwise, result=read_type(state[0].type))
    return (f(activation, f("add", share, own)),)


def gates(x: ir.Value, count: int) -> list[ir.Value]:
    """Split into `count` parts of equal width."""
    width = read_type(x.type).shape[1] // count
    return [slice_along(x, 1, i * width, (i + 1) * width) for i in range(count)]


def _unroll(call: TorchOp, states: State, cell: Cell) -> list[ir.Value]:
    """Return the output, and the last states of all layers and directions."""
    x, last = _time_first(call), list[State]()
    batch = read_type(x.type).shape[1]
    for layer in _layers(call):
        starts = [[_state(s, len(last) + i, batch) for s in states] for i in range(len(layer))]
        runs = [direction.run(x, start, cell) for direction, start in zip(layer, starts, strict=True)]
        x = concat_along([output for output, _ in runs], 2)
        last += [state for _, state in runs]
    output = permute_dims(x, (1, 0, 2)) if call.flag(8) else x
    ends = [
        concat_along([reshape_to(s, (1, *read_type(s.type).shape)) for s in every], 0)
        for every in zip(*last, strict=True)
    ]
    return [output, *ends]


def _state(states: ir.Value, at: int, batch: int) -> ir.Value:
    """Return state `at` of all layers and directions, [batch, width]."""
    return reshape_to(slice_along(states, 0, at, at + 1), (batch, read_type(states.type).shape[-1]))


def _time_first(call: TorchOp) -> ir.Value:
    """Return the input [time, batch, features]."""
    return permute_dims(call.tensor(0), (1, 0, 2)) if call.flag(8) else call.tensor(0)


def _layers(call: TorchOp) -> list[list[Direction]]:
    """Return the directions of each layer."""
    parameters, senses = call.tensors(2), 2 if call.flag(7) else 1
    if call.flag(6) and call.number(5) != 0:
        call.refuse("drops values out", OF_MODULES)
    count, biased = call.integer(4) * senses, call.flag(3)
    each, found = len(parameters) // count, list[Direction]()
    for i in range(count):
        w, state_w, *rest = parameters[i * each : (i + 1) * each]
        b, state_b = rest[:2] if biased else (None, None)
        projection = next(iter(rest[2 * biased :]), None)
        found.append(Direction((w, state_w), (b, state_b), i % senses == 1, projection))
    return [found[i : i + senses] for i in range(0, count, senses)]
