"""A graph with all rewrites, without each of those of movement that does something to it, and without any."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.random_moves.draw import Moves
from ttstack.compiled_program import Program
from ttstack.compiler import compile_module
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack_runtime.numerics import pcc

REWRITES = (
    "assign-dim-orders",
    "gather-rows-and-columns",
    "concat-rows-by-matmul",
    "split-permute",
    "squeeze-unit-dims",
    "hoist-slices",
    "collapse-batch-into-rows",
    "fold-gather-into-weights",
    "canonicalize-movement",
    "reshape-by-head-ops",
    "stack-heads",
)
LARGEST = 1e-4
"""In float32, where bf16 programs are computed exactly: the largest difference over the largest value."""
LEAST_PCC = 0.99
"""In the formats of the device."""
LEAST_SLOWER = 0.01
"""A share of the predicted time."""
MOVES = {"permute", "transpose", "reshape", "slice_static", "concat", "pad", "repeat"}

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Found:
    """What became of one graph."""

    number: int
    faults: tuple[str, ...]
    slower: Mapping[str, float]
    """By how much the program without this rewrite is faster, as a share of its time; `all` is without any."""
    ns: float
    ns_before: float
    ops: int
    ops_before: int
    moves: int
    moves_before: int
    applied: tuple[str, ...]
    """The rewrites that change the graph."""

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class _Compiled:
    program: Program
    ns: float
    ops: Counter[str]
    applied: frozenset[str]

    @property
    def moves(self) -> int:
        return sum(self.ops[name] for name in MOVES)


def check_moves(graph: Moves, number: int) -> Found:
    """Compile and run the graph with rewrites and without."""
    draws = np.random.default_rng(number)
    values = {f"v{i}": _drawn(draws, graph.types[i].shape) for i in graph.inputs}
    weights = {f"v{i}": _drawn(draws, graph.types[i].shape) for i in graph.parameters}
    full, plain = _compiled(graph, weights), _compiled(graph, weights, "all")
    wanted = _outputs(plain.program, values)
    device = _outputs(full.program, values, "device")
    faults = _differences(_outputs(full.program, values), wanted, "with all")
    faults += _inexact(device, _outputs(plain.program, values, "device"), wanted)
    slower = {"all": full.ns / plain.ns - 1}
    applied = [name for name in REWRITES if name in full.applied]
    for name in applied:
        other = _compiled(graph, weights, name)
        faults += _differences(_outputs(other.program, values), wanted, f"without {name}")
        slower[name] = full.ns / other.ns - 1
    return Found(
        number=number,
        faults=tuple(faults),
        slower={name: share for name, share in slower.items() if share > LEAST_SLOWER},
        ns=full.ns,
        ns_before=plain.ns,
        ops=full.ops.total(),
        ops_before=plain.ops.total(),
        moves=full.moves,
        moves_before=plain.moves,
        applied=tuple(applied),
    )


def _drawn(draws: np.random.Generator, shape: Sequence[int]) -> Array:
    """Values of the size that norms leave, and matrices that keep it."""
    scale = shape[0] ** -0.5 if len(shape) == 2 else 1.0
    return (draws.standard_normal(shape) * scale).astype(np.float32)


def _compiled(graph: Moves, weights: Mapping[str, Array], *without: str) -> _Compiled:
    options = CompileOptions.of({"dtype": "bf16", "without": list(without) or None})
    with new_context(), ir.Location.unknown():
        made = compile_module(graph.build(), options, weights=weights)
    program = Program(made.binary)
    report = program.cost()
    applied = frozenset(run.name for run in made.passes if run.applied)
    return _Compiled(program, sum(op.elapsed_ns for op in report.ops), Counter(op.name for op in report.ops), applied)


def _outputs(program: Program, values: Mapping[str, Array], numerics: Any = "ieee") -> Mapping[str, Array]:
    return program.run(dict(values), numerics=numerics).outputs


def _differences(found: Mapping[str, Array], wanted: Mapping[str, Array], about: str) -> list[str]:
    faults: list[str] = []
    for name, value in wanted.items():
        if found[name].shape != value.shape:
            faults.append(f"{about}: {name} has shape {found[name].shape}, not {value.shape}")
            continue
        off = float(np.abs(found[name] - value).max() / max(float(np.abs(value).max()), 1e-30))
        if not off <= LARGEST:
            faults.append(f"{about}: {name} is off by {off:.1e}")
    return faults


def _inexact(found: Mapping[str, Array], plain: Mapping[str, Array], wanted: Mapping[str, Array]) -> list[str]:
    """Results that the formats of the device give with rewrites alone: graphs may amplify errors themselves."""
    faults: list[str] = []
    for name, value in wanted.items():
        least = min(LEAST_PCC, pcc(plain[name], value) - (1 - LEAST_PCC))
        if value.size > 1 and (near := pcc(found[name], value)) < least:
            faults.append(f"on the device: PCC of {name} is {near:.4f}, without rewrites {pcc(plain[name], value):.4f}")
    return faults
