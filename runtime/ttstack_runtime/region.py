"""Regions of `ttir.generic`: a program on tiles, executed on whole arrays.

Every value is an array with one axis for each loop of the dispatch, of extent 1 where the value does not
depend on that loop. Elementwise tile ops then broadcast, reductions reduce the axes of the reduction loops,
and a transposed tile is an axis that its map has already moved.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.loop_nest import LoopNest, TileOp, tiles_of
from ttstack.ops.loops import SAME, IndexingMap
from ttstack.ops.tile_ops import TILE_OPS
from ttstack.ops.types import DType, TensorType
from ttstack_runtime import kernels
from ttstack_runtime.contraction import contract
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.precision import Ieee
from ttstack_runtime.tile_moves import move_tiles, moves_tiles

_OWN = frozenset({"copy", "fill", "iota", "round", "transpose"})
"""Tile ops that only a region gives a meaning; that of all others is a kernel's."""

Multiplied = Callable[[Array, int], Array]
"""What the multiplier takes of operand 0 or 1."""


@dataclass(frozen=True)
class _Value:
    array: Array
    turned: bool = False
    """Whether rows and columns inside a tile stand the other way round than in the result."""


class Region:
    """The region of one dispatch, ready to run.

    Raises:
        ExecutionError: maps or body are of a form that has no meaning on whole arrays; `where` says which op.
    """

    def __init__(self, program: LoopNest, rules: Ieee, multiplied: Multiplied, where: str = "") -> None:
        self._program = program
        self._rules = rules
        self._multiplied = multiplied
        self._where = where
        if len(program.outputs) != 1:
            raise self._fault(f"it has {len(program.outputs)} results, not 1")
        for tile_op in program.body:
            self._check(tile_op)

    def run(self, operands: Sequence[Array], result: TensorType) -> Array:
        """The result of the whole dispatch on whole operands.

        Raises:
            ExecutionError: the operands do not fit the maps.
        """
        program = self._program
        if moves_tiles(program):
            return self._moved(operands, result)
        values: list[_Value | None] = [
            _Value(self._spread(*self._picked(x, m, operands)), self._is_turned(m))
            for x, m in zip(operands, program.inputs, strict=True)
        ]
        shapes = [*(v.array.shape for v in values if v), self._extents(result)]
        extents = [next((e for e in axis if e != 1), 1) for axis in zip(*shapes, strict=True)]
        values.append(None)
        for tile_op in program.body:
            values.append(self._step(tile_op, values, extents, result))
        last = values[-1]
        if last is None or last.turned:
            raise self._fault("its result is not made by its body" if last is None else "tiles end up transposed")
        return self._gather(last.array, result)

    def _check(self, tile_op: TileOp) -> None:
        name = tile_op.name
        if name not in _OWN and not TILE_OPS[name].meaning:
            raise self._fault(f"tile op '{name}' has no reference semantics")
        if len(tile_op.args) < TILE_OPS[name].arity:
            raise self._fault(f"tile op '{name}' has {len(tile_op.args)} operands, not {TILE_OPS[name].arity}")

    def _step(
        self, tile_op: TileOp, values: Sequence[_Value | None], extents: Sequence[int], result: TensorType
    ) -> _Value:
        args = [self._read(values, i) for i in tiles_of(tile_op)]
        match tile_op.name:
            case "copy":
                return args[0]
            case "transpose":
                return _Value(args[0].array, not args[0].turned)
            case "round":
                return _Value(np.rint(args[0].array))
            case "matmul":
                return _Value(self._matmul(args[0].array, args[1].array, self._program.reduced_loops(tile_op)))
            case "fill" | "iota":
                return _Value(self._made(tile_op, result, extents))
            case _:
                return _Value(self._computed(tile_op, args, extents))

    def _computed(self, tile_op: TileOp, args: list[_Value], extents: Sequence[int]) -> Array:
        """What a kernel gives whole arrays."""
        if any(v.turned for v in args):
            raise self._fault(f"tile op '{tile_op.name}' takes a tile that is not transposed as its map is")
        spec, arrays = TILE_OPS[tile_op.name], [v.array for v in args]
        if spec.reduces:
            return self._reduce(tile_op, arrays[0], extents)
        if spec.scans:
            (loop,) = self._program.reductions
            return np.asarray(self._kernel(tile_op.name)(arrays[0], dim=loop))
        return self._elementwise(tile_op, arrays)

    def _read(self, values: Sequence[_Value | None], index: int) -> _Value:
        value = values[index] if index < len(values) else None
        if value is None:
            raise self._fault("its body reads the destination, which holds nothing")
        return value

    def _elementwise(self, tile_op: TileOp, arrays: list[Array]) -> Array:
        attributes = dict(tile_op.attributes)
        dtype: DType | None = attributes.pop("dtype", None)
        if tile_op.name == "typecast" and dtype is not None:
            attributes["dtype"] = self._rules.held[dtype]
        if tile_op.name == "bitcast_convert" and dtype is not None:
            attributes["dtype"] = dtype.numpy
        out = np.asarray(self._kernel(tile_op.name)(*arrays, **attributes))
        return out if dtype is None else self._rules.cast(out, dtype)

    def _reduce(self, tile_op: TileOp, array: Array, extents: Sequence[int]) -> Array:
        name, loops = tile_op.name, self._program.reduced_loops(tile_op)
        if not loops:
            return np.asarray(self._kernel(name)(array[..., None], keep_dim=False, dim_arg=(array.ndim,)))
        shape = tuple(extents[i] if i in loops else extent for i, extent in enumerate(array.shape))
        return np.asarray(self._kernel(name)(np.broadcast_to(array, shape), keep_dim=True, dim_arg=loops))

    def _kernel(self, tile_op: str) -> Callable[..., Array]:
        """What gives whole arrays what the tile op gives tiles."""
        kernel = kernels.find(TILE_OPS[tile_op].meaning)
        if kernel is None:
            raise self._fault(f"tile op '{tile_op}' has no kernel")
        return kernel

    def _made(self, tile_op: TileOp, result: TensorType, extents: Sequence[int]) -> Array:
        """What a tile op makes of nothing but its attributes."""
        values: dict[str, Any] = dict(tile_op.attributes)
        loops, held = len(self._program.domain), self._rules.held[values.get("dtype", result.dtype)]
        if tile_op.name == "fill":
            return np.full((1,) * loops, values["value"], held)
        along, start, step = (int(values[name]) for name in ("along", "start", "step"))
        made = np.arange(extents[along]) * step + start
        return made.astype(held).reshape([extents[i] if i == along else 1 for i in range(loops)])

    def _extents(self, result: TensorType) -> tuple[int, ...]:
        """Elements along each loop that the result follows, 1 along the others."""
        along = dict(zip(self._program.outputs[0].loops, result.shape, strict=False))
        return tuple(along.get(i, 1) for i in range(len(self._program.domain)))

    def _moved(self, operands: Sequence[Array], result: TensorType) -> Array:
        try:
            return move_tiles(self._program, operands[0], result)
        except (ValueError, IndexError) as e:
            raise self._fault(str(e)) from e

    def _matmul(self, a: Array, b: Array, loops: Sequence[int]) -> Array:
        differs = [i for i in loops if a.shape[i] != b.shape[i]]
        if differs:
            sides = f"{[a.shape[i] for i in loops]} and {[b.shape[i] for i in loops]}"
            raise self._fault(f"tile op 'matmul' has inner extents {sides}")
        return contract(self._multiplied(a, 0), self._multiplied(b, 1), loops)

    def _spread(self, array: Array, m: IndexingMap) -> Array:
        """An operand with one axis for each loop, in the order of the loops."""
        for d, (loop, term) in enumerate(zip(m.loops, m.terms, strict=False)):
            if loop is not None and term != SAME and d < array.ndim - 2:
                array = np.take(array, term.at(np.arange(self._program.domain[loop])), axis=d)
        used = [loop for loop in m.loops if loop is not None]
        fits = len(m.loops) == array.ndim and len(set(used)) == len(used)
        fits = fits and all(e == 1 for e, loop in zip(array.shape, m.loops, strict=True) if loop is None)
        if not fits:
            raise self._fault(f"an operand of shape {list(array.shape)} does not fit the map {list(m.loops)}")
        kept = array.reshape([e for e, loop in zip(array.shape, m.loops, strict=True) if loop is not None])
        ordered = kept.transpose(sorted(range(len(used)), key=used.__getitem__))
        missing = [i for i in range(len(self._program.domain)) if i not in used]
        return np.expand_dims(ordered, missing)

    def _picked(self, array: Array, m: IndexingMap, operands: Sequence[Array]) -> tuple[Array, IndexingMap]:
        """What indices pick of an operand, in the loops of the indices before its own; itself where none do."""
        if m.pick is None or self._program.index_bound is None:
            return array, m
        index = operands[0] // m.pick.divisor
        index = index if m.pick.modulus is None else index % m.pick.modulus
        return np.take(array, index, axis=0), IndexingMap((*self._program.inputs[0].loops, *m.loops[1:]))

    def _gather(self, array: Array, result: TensorType) -> Array:
        """The result's axes out of one axis for each loop."""
        loops = self._program.outputs[0].loops
        used = [loop for loop in loops if loop is not None]
        dropped = tuple(i for i in range(array.ndim) if i not in used)
        fits = len(loops) == result.rank and all(array.shape[i] == 1 for i in dropped)
        if not fits:
            raise self._fault(f"values of extents {list(array.shape)} do not fit the result's map {list(loops)}")
        kept = np.squeeze(array, dropped)
        ordered = kept.transpose(np.argsort(np.argsort(used)))
        full = np.expand_dims(ordered, [d for d, loop in enumerate(loops) if loop is None])
        return np.broadcast_to(full, result.shape)

    def _is_turned(self, m: IndexingMap) -> bool:
        """Whether the map swaps the loops of the result's tile rows and columns."""
        mine, out = m.loops[-2:], self._program.outputs[0].loops[-2:]
        return len(mine) == len(out) == 2 and None not in mine and mine == out[::-1] and mine != out

    def _fault(self, why: str) -> ExecutionError:
        return ExecutionError(
            f"generic: {why}",
            loc=self._where or None,
            hint="compile without fusion, so that the named ops remain",
        )
