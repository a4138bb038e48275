"""Graphs of moves and of ops between them: permutes, reshapes, slices, concats, pads, broadcasts, drawn by a seed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import TensorKind

STEPS = 4, 12
EXTENTS = 1, 2, 3, 4, 7, 8, 12, 16
"""Extents of leading dimensions."""
WIDTHS = 16, 32, 32, 64, 64, 96, 128, 48, 49, 77, 196, 31
"""Extents of rows and columns: whole tiles, and ragged ones."""
LARGEST = 1 << 18
"""Elements of a value."""
_RECENT = 4
"""Values that steps read: the last ones, so that graphs are deep."""
_UNARY = "relu", "sigmoid", "tanh", "gelu", "silu", "neg", "abs", "exp"
_BINARY = "add", "add", "multiply", "multiply", "subtract", "maximum"


@dataclass(frozen=True)
class Step:
    """An op on values by their numbers."""

    mnemonic: str
    reads: tuple[int, ...]
    attributes: dict[str, Any]

    def __str__(self) -> str:
        given = ", ".join([*(f"%{i}" for i in self.reads), *(f"{k}={v}" for k, v in self.attributes.items())])
        return f"{self.mnemonic}({given})"


@dataclass
class Moves:
    """Values by number: arguments, parameters and results of steps, in the order in which they are drawn."""

    rng: Random
    types: list[TensorType] = field(default_factory=list[TensorType])
    parameters: list[int] = field(default_factory=list[int])
    inputs: list[int] = field(default_factory=list[int])
    steps: dict[int, Step] = field(default_factory=dict[int, Step])
    """Each by the number of its result."""

    @property
    def outputs(self) -> list[int]:
        """The results that no step reads."""
        read = {i for step in self.steps.values() for i in step.reads}
        return [i for i in self.steps if i not in read]

    def __str__(self) -> str:
        given = [f"%{i}: {self.types[i].shape}" for i in (*self.inputs, *self.parameters)]
        return "; ".join([*given, *(f"%{i} = {step} {self.types[i].shape}" for i, step in self.steps.items())])

    def build(self) -> ir.Module:
        """The graph as a module of the current context."""
        module = ir.Module.create(ir.Location.current)
        given = [*self.inputs, *self.parameters]
        types: list[ir.Type] = [tensor_type(self.types[i]) for i in given]
        with ir.InsertionPoint(module.body):
            results: list[ir.Type] = [tensor_type(self.types[i]) for i in self.outputs]
            function = func.FuncOp("forward", (types, results))
        with ir.InsertionPoint(function.add_entry_block()):
            values: dict[int, ir.Value] = dict(zip(given, function.arguments, strict=True))
            for i, step in self.steps.items():
                values[i] = ttir.build(step.mnemonic, *(values[read] for read in step.reads), **step.attributes)
            func.ReturnOp([values[i] for i in self.outputs])
        kinds = dict.fromkeys(self.inputs, TensorKind.INPUT) | dict.fromkeys(self.parameters, TensorKind.PARAMETER)
        signatures = [ArgumentSignature(f"v{i}", kinds[i]) for i in given]
        write_signature(function, signatures, [f"v{i}" for i in self.outputs])
        return module

    def add_input(self, shape: Sequence[int]) -> int:
        """Number a new argument."""
        self.types.append(TensorType(tuple(shape), DType.F32))
        self.inputs.append(len(self.types) - 1)
        return self.inputs[-1]

    def add_parameter(self, *shape: int) -> int:
        """Number a new parameter."""
        self.types.append(TensorType(shape, DType.F32))
        self.parameters.append(len(self.types) - 1)
        return self.parameters[-1]

    def push(self, mnemonic: str, *reads: int, **attributes: object) -> int:
        """Add a step, and return the number of its result."""
        op = OPS[mnemonic].on([self.types[i] for i in reads], attributes)
        (made,) = op.results
        self.types.append(made)
        number = len(self.types) - 1
        self.steps[number] = Step(mnemonic, reads, attributes)
        return number

    def pick(self, *, least_rank: int = 0) -> int | None:
        """One of the last values that are not parameters."""
        drawn = [i for i in range(len(self.types)) if i not in self.parameters][-_RECENT:]
        fit = [i for i in drawn if len(self.types[i].shape) >= least_rank]
        return self.rng.choice(fit) if fit else None

    def like(self, number: int) -> int:
        """A value of the same shape; the same one where there is no other."""
        alike = [i for i, t in enumerate(self.types) if t.shape == self.types[number].shape and i != number]
        return self.rng.choice(alike) if alike else number


def draw_moves(seed: int, number: int) -> Moves:
    """The graph of a seed and a number, the same each time."""
    rng = Random(f"{seed}/{number}")
    graph = Moves(rng)
    rank, shape = rng.choice((2, 3, 3, 4, 4)), (LARGEST + 1,)
    while math.prod(shape) > LARGEST:
        shape = (*rng.choices(EXTENTS, k=rank - 2), *rng.choices(WIDTHS, k=2))
    for _ in range(rng.choice((1, 1, 2))):
        graph.add_input(shape)
    wanted = rng.randint(*STEPS)
    kinds, weights = [*_KINDS], [*_KINDS.values()]
    while len(graph.steps) < wanted:
        (draw,) = rng.choices(kinds, weights)
        at = graph.pick()
        assert at is not None
        draw(graph, at, rng)
    return graph


def _permute(graph: Moves, at: int, rng: Random) -> None:
    rank = graph.types[at].rank
    order = [*range(rank)]
    if rng.random() < 0.6 and rank > 1:
        first, second = rng.sample(order, 2)
        order[first], order[second] = second, first
    else:
        rng.shuffle(order)
    if order != sorted(order):
        graph.push("permute", at, permutation=tuple(order))


def _reshape(graph: Moves, at: int, rng: Random) -> None:
    """Two dimensions become one, or one becomes two."""
    shape = list(graph.types[at].shape)
    dim = rng.randrange(len(shape))
    if rng.random() < 0.5 and dim + 1 < len(shape) and len(shape) > 2:
        shape[dim : dim + 2] = [shape[dim] * shape[dim + 1]]
    else:
        factors = [f for f in (1, 2, 3, 4, 7, 8, 16, 32) if shape[dim] % f == 0]
        factor = rng.choice(factors)
        parts = [factor, shape[dim] // factor]
        shape[dim : dim + 1] = parts if rng.random() < 0.5 else parts[::-1]
    if len(shape) <= 5:
        graph.push("reshape", at, shape=tuple(shape))


def _slice(graph: Moves, at: int, rng: Random) -> None:
    shape = graph.types[at].shape
    dim = rng.randrange(len(shape))
    if shape[dim] < 2:
        return
    unit = rng.choice([u for u in (1, 1, shape[dim] // 2, 8, 32) if 0 < u <= shape[dim]])
    cuts = sorted(rng.sample(range(shape[dim] // unit + 1), 2))
    begins, ends, steps = [0] * len(shape), [*shape], [1] * len(shape)
    begins[dim], ends[dim] = cuts[0] * unit, cuts[1] * unit
    steps[dim] = 2 if rng.random() < 0.1 else 1
    if (begins[dim], ends[dim]) != (0, shape[dim]):
        graph.push("slice_static", at, begins=tuple(begins), ends=tuple(ends), step=tuple(steps))


def _concat(graph: Moves, at: int, rng: Random) -> None:
    shape = graph.types[at].shape
    dim = rng.randrange(len(shape))

    def fits(other: TensorType) -> bool:
        rest = [n for d, n in enumerate(other.shape) if d != dim]
        return other.rank == len(shape) and rest == [n for d, n in enumerate(shape) if d != dim]

    alike = [i for i, t in enumerate(graph.types) if fits(t)]
    reads = [at, *rng.choices(alike, k=rng.choice((1, 1, 2)))]
    rng.shuffle(reads)
    if sum(graph.types[i].size for i in reads) <= LARGEST:
        graph.push("concat", *reads, dim=dim)


def _pad(graph: Moves, at: int, rng: Random) -> None:
    t = graph.types[at]
    dim, padding = rng.randrange(t.rank), [0] * (2 * t.rank)
    padding[2 * dim : 2 * dim + 2] = rng.choice(((0, 1), (1, 0), (1, 1), (0, 32), (0, -t.shape[dim] % 32), (3, 5)))
    if any(padding) and t.size // t.shape[dim] * (t.shape[dim] + sum(padding)) <= LARGEST:
        graph.push("pad", at, padding=tuple(padding), value=0.0)


def _broadcast(graph: Moves, at: int, rng: Random) -> None:
    """Along a dimension of extent 1, which a reduction may have left, or along a new one."""
    t = graph.types[at]
    ones = [d for d, n in enumerate(t.shape) if n == 1]
    count = rng.choice((2, 3, 8, 32))
    if t.size * count > LARGEST or not (ones or t.rank < 4):
        return
    if not ones:
        dim = rng.randrange(t.rank)
        at, ones = graph.push("reshape", at, shape=(*t.shape[:dim], 1, *t.shape[dim:])), [dim]
    factors = [1] * graph.types[at].rank
    factors[rng.choice(ones)] = count
    graph.push("broadcast", at, broadcast_dimensions=tuple(factors))


def _unary(graph: Moves, at: int, rng: Random) -> None:
    graph.push(rng.choice(_UNARY[:-1]) if graph.steps else rng.choice(_UNARY), at)


def _binary(graph: Moves, at: int, rng: Random) -> None:
    """With a value of the same shape, with what broadcasts to it, or with a parameter."""
    shape = graph.types[at].shape
    small = [
        i
        for i, t in enumerate(graph.types)
        if t.rank <= len(shape) and all(a in (1, b) for a, b in zip(t.shape[::-1], shape[::-1], strict=False))
    ]
    if rng.random() < 0.4:
        kept = rng.choice((1, 1, len(shape)))
        other = graph.add_parameter(*(n if rng.random() < 0.6 else 1 for n in shape[-kept:]))
    else:
        other = rng.choice((graph.like(at), rng.choice(small)))
    reads = (at, other) if rng.random() < 0.7 else (other, at)
    graph.push(rng.choice(_BINARY), *reads)


def _reduce(graph: Moves, at: int, rng: Random) -> None:
    rank = graph.types[at].rank
    dims = sorted(rng.sample(range(rank), 1 if rng.random() < 0.8 or rank < 3 else 2))
    keep = rng.random() < 0.6 or rank - len(dims) < 2
    made = graph.push(rng.choice(("mean", "mean", "max", "sum")), at, dim_arg=tuple(dims), keep_dim=keep)
    if keep and rng.random() < 0.6:
        graph.push(rng.choice(("subtract", "multiply")), at, made)


def _normalize(graph: Moves, at: int, rng: Random) -> None:
    t = graph.types[at]
    if rng.random() < 0.5:
        graph.push("softmax", at, dimension=rng.choice((-1, -1, rng.randrange(t.rank))) % t.rank)
    else:
        width = t.shape[-1]
        scale = [graph.add_parameter(width)] if rng.random() < 0.6 else []
        name = rng.choice(("layer_norm", "rms_norm"))
        graph.push(name, at, *scale, normalized_shape=(width,), epsilon=0.01)


def _multiply_known(graph: Moves, at: int, rng: Random) -> None:
    t = graph.types[at]
    columns = rng.choice(WIDTHS)
    if t.rank < 2 or t.shape[-1] < 8 or t.size // t.shape[-1] * columns > LARGEST:
        return
    transposed = rng.random() < 0.3
    weight = graph.add_parameter(*((columns, t.shape[-1]) if transposed else (t.shape[-1], columns)))
    if rng.random() < 0.5:
        graph.push("linear", at, weight, graph.add_parameter(columns), transpose_b=transposed)
    else:
        graph.push("matmul", at, weight, transpose_b=transposed)


def _multiply(graph: Moves, at: int, rng: Random) -> None:
    """By a value of the same shape, one of them transposed."""
    t, other = graph.types[at], graph.like(at)
    if t.rank < 2:
        return
    *lead, rows, columns = t.shape
    if rng.random() < 0.6 and math.prod(lead) * rows * rows <= LARGEST:
        graph.push("matmul", at, other, transpose_b=True)
    elif math.prod(lead) * columns * columns <= LARGEST:
        graph.push("matmul", at, other, transpose_a=True)


def _attend(graph: Moves, at: int, rng: Random) -> None:
    """Attention of heads; of values of other ranks, columns are split into heads first."""
    if graph.types[at].rank == 3:
        batch, rows, width = graph.types[at].shape
        heads = [h for h in (1, 2, 4) if width % h == 0 and width // h >= 8]
        if not heads:
            return
        count = rng.choice(heads)
        at = graph.push("reshape", at, shape=(batch, rows, count, width // count))
        at = graph.push("permute", at, permutation=(0, 2, 1, 3))
    t = graph.types[at]
    if t.rank != 4 or t.shape[3] < 8 or t.shape[3] > 128:
        return
    given = at, graph.like(at), graph.like(at)
    made = graph.push("scaled_dot_product_attention", *given, is_causal=rng.random() < 0.3)
    if rng.random() < 0.6:
        joined = graph.push("permute", made, permutation=(0, 2, 1, 3))
        batch, rows, heads, width = graph.types[joined].shape
        graph.push("reshape", joined, shape=(batch, rows, heads * width))


_KINDS: dict[Callable[[Moves, int, Random], None], float] = {
    _permute: 5,
    _reshape: 4,
    _slice: 2,
    _concat: 2,
    _pad: 1,
    _broadcast: 1,
    _unary: 3,
    _binary: 3,
    _reduce: 1,
    _normalize: 2,
    _multiply_known: 2,
    _multiply: 1,
    _attend: 1,
}
