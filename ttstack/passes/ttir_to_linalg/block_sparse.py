"""Attention with a constant mask: all scores are computed, and hidden ones are dropped."""

import numpy as np

from ttstack.mlir import arith, ir
from ttstack.ops.block_sparse import BlockSparseAttention
from ttstack.ops.mask_structure import Band, MaskStructure, TileKind
from ttstack.ops.types import TILE, DType
from ttstack.passes.ttir_to_linalg.attention import attend
from ttstack.passes.ttir_to_linalg.movement import number_of
from ttstack.passes.ttir_to_linalg.scalars import Scalar, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise, generate, literal

LOWERINGS = LoweringTable()


@LOWERINGS("block_sparse_attention")
def _block_sparse(
    op: BlockSparseAttention,
    query: Dense,
    key: Dense,
    value: Dense,
    mask: Dense | None = None,
    sink: Dense | None = None,
    *_bounds_and_flags: Dense | None,
) -> Dense:
    seen = _in_band(op.structure) if mask is None else _in_tiles(op.structure)
    if mask is not None:
        seen = elementwise(lambda v, m: select(v, m, -float("inf")), [seen, mask], mask.wide().dtype)
    return attend(query, key, value, scale=op.scale, causal=False, mask=seen, sink=sink).cast(op.results[0].dtype)


def _in_tiles(structure: MaskStructure) -> Dense:
    """Return [B, H, S, Sk]: whether a score is in a visited tile."""
    kinds = structure.kinds()
    visited = literal((kinds != TileKind.EMPTY).reshape(*structure.shape, *kinds.shape[1:]), DType.I1)

    def body(at: list[ir.Value]) -> Scalar:
        side = arith.constant(ir.IndexType.get(), TILE)
        return visited.at([*at[:2], *(arith.divui(i, side) for i in at[2:])])

    return generate(body, (*structure.shape, structure.queries, structure.keys), DType.I1)


def _in_band(structure: MaskStructure) -> Dense:
    """Return [B, H, S, Sk]: whether a key is in the query's range."""
    bands = [plane.ranges(structure.queries) for plane in structure.planes if isinstance(plane, Band)]
    shape = (*structure.shape, structure.queries)
    first, end = (literal(np.stack(bound).reshape(shape), DType.I64) for bound in zip(*bands, strict=True))

    def body(at: list[ir.Value]) -> Scalar:
        key = number_of(at[3])
        return (key >= first.at(at[:3])) & (key < end.at(at[:3]))

    return generate(body, (*shape, structure.keys), DType.I1)
