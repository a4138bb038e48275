"""Nests that put whole tiles elsewhere, executed tile by tile."""

import numpy as np

from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loops import SAME, IndexingMap
from ttstack.ops.types import TILE, TensorType, tile_shape
from ttstack_runtime.kernels.table import Array


def moves_tiles(nest: LoopNest) -> bool:
    """Whether loops of a nest can count tiles along one dimension and elements along another."""
    copies = all(op.name == "copy" for op in nest.body)
    return copies and (any(m.terms for m in nest.maps) or (nest.moves_only and nest.index_bound is None))


def move_tiles(nest: LoopNest, operand: Array, result: TensorType) -> Array:
    """The result of copying each tile from where one map says to where the other does.

    Raises:
        ValueError: the nest does more than copy one operand.
    """
    if len(nest.inputs) != 1 or len(nest.outputs) != 1 or len(nest.body) != 1:
        raise ValueError("tiles that go elsewhere are copies of those of one operand")
    source = _tiled(operand)
    target = np.zeros((*tile_shape(result.shape), *source.shape[-2:]), operand.dtype)
    target[_places(nest, nest.outputs[0])] = source[_places(nest, nest.inputs[0])]
    return _whole(target, result.shape)


def _places(nest: LoopNest, m: IndexingMap) -> tuple[Array, ...]:
    """For each dimension the place of every iteration."""
    loops = np.meshgrid(*map(np.arange, nest.domain), indexing="ij")
    terms = m.terms or (SAME,) * len(m.loops)
    nowhere = np.zeros(nest.domain, np.int64)
    return tuple(nowhere if i is None else term.at(loops[i]) for i, term in zip(m.loops, terms, strict=True))


def _tiled(array: Array) -> Array:
    """Rows and columns in dimensions of tiles, and dimensions inside of tiles at the end; filled up with zeros."""
    matrix = array[None] if array.ndim < 2 else array
    short = [(0, 0)] * (matrix.ndim - 2) + [(0, -extent % TILE) for extent in matrix.shape[-2:]]
    full = np.pad(matrix, short)
    *lead, rows, columns = full.shape
    return full.reshape(*lead, rows // TILE, TILE, columns // TILE, TILE).swapaxes(-3, -2)


def _whole(tiles: Array, shape: tuple[int, ...]) -> Array:
    *lead, rows, columns, height, width = tiles.shape
    full = tiles.swapaxes(-3, -2).reshape(*lead, rows * height, columns * width)
    return full[tuple(slice(extent) for extent in shape)]
