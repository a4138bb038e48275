"""Compile-time knowledge of a value's elements, for all inputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseComparison
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.shape import Pad

FAR = 9984.0
"""Distance from zero of values that hide scores: -1e4, which bf16 holds as -9984, -1e9, the least float, -inf."""
HIDDEN = -FAR
"""A score of at most this, or lowered by this much, has no weight in any format."""

_FEW = 16
_BESIDE = 4.0
"""A block of bfp4_b has numbers of a quarter of its largest, with one step to say so."""

_MOVING = frozenset({"slice_static", "slice_dynamic", "index"})


@dataclass(frozen=True)
class ElementValues:
    """Possible values of elements: all numbers if they are few, otherwise if any may be `FAR` from zero."""

    numbers: frozenset[float] | None = None
    far: bool = False

    @property
    def uneven(self) -> bool:
        """Return True if a block may hold both numbers other than zero and some so large that it loses them."""
        if self.numbers is None:
            return self.far
        sizes = [abs(n) for n in self.numbers if n != 0 and not np.isnan(n)]
        return self.far and max(sizes) > _BESIDE * min(sizes)


UNKNOWN = ElementValues()
TRUTH = ElementValues(frozenset({0.0, 1.0}))


def contents_of(array: np.ndarray[Any, Any]) -> ElementValues:
    """Return the numbers of a constant."""
    flat = array.reshape(-1)
    start = _distinct(flat[:4096])
    numbers = start if len(start) > _FEW else _distinct(np.concatenate([start, flat[~np.isin(flat, start)]]))
    far = bool((np.abs(flat.astype(np.float32, copy=False)) >= FAR).any())
    return ElementValues(frozenset(map(float, numbers)) if len(numbers) <= _FEW else None, far)


def _distinct(flat: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return `np.unique(flat)` without importing the module of masked arrays."""
    ordered = np.sort(flat)
    before, after = ordered[:-1], ordered[1:]
    new = (before != after) & ~(np.isnan(before) & np.isnan(after))
    return ordered[np.concatenate([np.ones(min(len(flat), 1), dtype=bool), new])]


def contents_after(op: Op, operands: Sequence[ElementValues]) -> ElementValues:
    """Return the numbers of an op's only result, from those of its operands."""
    if op.family == "shape" or op.mnemonic in _MOVING:
        own = [c for c, t in zip(operands, op.operands, strict=True) if t.dtype == op.results[0].dtype]
        return _either([*own, contents_of(np.array([op.value]))] if isinstance(op, Pad) else own)
    nest = element_nest(op)
    if nest is None:
        return UNKNOWN
    values = [*operands, *[UNKNOWN] * len(nest.outputs)]
    for tile_op in nest.body:
        values.append(_tile(tile_op, [values[i] for i in tile_op.args]))
    return values[-1]


def element_nest(op: Op) -> LoopNest | None:
    """Return the loop nest of an op that keeps or moves elements unchanged: no matmuls, and no indirect reads."""
    nest = op.nest
    if nest is None or nest.moves_only or nest.index_bound is not None or nest.keeps_rows:
        return None
    return None if any(tile_op.name == "matmul" for tile_op in nest.body) else nest


def _tile(op: TileOp, operands: Sequence[ElementValues]) -> ElementValues:
    """Functions that are not listed keep no number far from zero beside others, as `exp` does not."""
    if issubclass(OPS.get(op.name, Op), EltwiseComparison) or op.name == "logical_not":
        return TRUTH
    match op.name:
        case "fill":
            return contents_of(np.array([dict(op.attributes)["value"]], np.float32))
        case "where":
            return _either(operands[1:])
        case name if name in _SAME:
            return operands[0]
        case _:
            return _calculated(op, operands)


def _calculated(op: TileOp, operands: Sequence[ElementValues]) -> ElementValues:
    function = _COMPUTED.get(op.name)
    if function is None:
        return UNKNOWN
    if (known := _results(function, operands)) is not None:
        return known
    return ElementValues(far=any(c.far for c in (operands[:1] if op.name == "div" else operands)))


def _results(function: Callable[..., Any], operands: Sequence[ElementValues]) -> ElementValues | None:
    sets = [c.numbers for c in operands if c.numbers is not None]
    if len(sets) < len(operands):
        return None
    with np.errstate(all="ignore"):
        return contents_of(np.array([function(*map(np.float32, numbers)) for numbers in product(*sets)], np.float32))


def _either(operands: Sequence[ElementValues]) -> ElementValues:
    sets = [c.numbers for c in operands if c.numbers is not None]
    together = frozenset(chain.from_iterable(sets))
    few = len(sets) == len(operands) and len(together) <= _FEW
    return ElementValues(together if few else None, any(c.far for c in operands))


_SAME = frozenset({"copy", "reduce_max", "reduce_min", "transpose", "typecast"})

_COMPUTED: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "add": np.add,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "neg": np.negative,
    "subtract": np.subtract,
}
"""Ops that can produce numbers far from zero next to others."""

CARRYING = frozenset({"where", *_SAME, *_COMPUTED})
"""Tile ops whose result can have values as large as an operand's."""
