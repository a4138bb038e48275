"""Matmuls over a number of tiles that has no divisors, padded with zeros to one that has."""

from functools import partial

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE, tiles
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES, is_known
from ttstack.passes.ttir.queries.producers import find_producer

_BLOCKS = (2, 4, 8)
"""Tiles of the contracted dimension that the library's kernels take at once, if their number is a multiple of these."""


@rewrite("pad-contraction", if_faster=True, stage=Stage.KERNELS)
def pad_contraction(op: views.Matmul | views.Linear) -> list[Candidate] | Declined | None:
    """`a @ b` = `pad(a) @ pad(b)`, with zeros along the contracted dimension, which kernels take in larger blocks then.

    Padding weights costs nothing while the program runs, if they are padded at compile time.
    """
    matmul = op.described
    count = tiles(matmul.mnk[2])
    more = {-(-count // block) * block for block in _BLOCKS} - {count}
    if count <= max(_BLOCKS) or not more:
        return None
    if is_known(op.b) and matmul.b.nbytes > MOST_FOLDED_BYTES:
        return Declined("the matrix is too large to be padded at compile time")
    if any(not is_known(v) and find_producer(v, "permute", "transpose") is not None for v in (op.a, op.b)):
        return Declined("an operand is transposed, which the matmul does by itself if nothing is between them")
    return [partial(_pad_both, op, padded * TILE) for padded in sorted(more)]


def _pad_both(op: views.Matmul | views.Linear, extent: int) -> ir.Value:
    matmul = op.described
    a = _pad(op.a, -2 if matmul.transpose_a else -1, extent)
    b = _pad(op.b, -1 if matmul.transpose_b else -2, extent)
    return ttir.build(matmul.mnemonic, a, b, *list(op.operation.operands)[2:], **op.attributes)


def _pad(value: ir.Value, dim: int, extent: int) -> ir.Value:
    """Append zeros along a dimension that is counted from the end."""
    shape = read_type(value.type).shape
    padding = [0] * (2 * len(shape))
    padding[2 * dim + 1] = extent - shape[dim]
    return ttir.pad(value, padding=tuple(padding), value=0.0)
