"""Padding of matmuls whose number of inner tiles has no divisors."""

from functools import partial

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.types import TILE, tiles
from ttstack.passes.rewriting.candidates import Candidate, Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import MOST_FOLDED_BYTES, is_known
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.producers import find_producer

_BLOCKS = (2, 4, 8)
"""Blocks of inner tiles that the library's kernels process at once, if they divide the number of tiles."""


@rewrite("pad-contraction", if_faster=True, stage=Stage.KERNELS)
def pad_contraction(op: views.Matmul | views.Linear) -> list[Candidate] | Declined | None:
    """`a @ b` = `pad(a) @ pad(b)`, with zeros along the contracted dimension, so that kernels use larger blocks.

    Padding of constant weights happens at compile time.
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
    a = fill(op.a, -2 if matmul.transpose_a else -1, extent)
    b = fill(op.b, -1 if matmul.transpose_b else -2, extent)
    return ttir.build(matmul.mnemonic, a, b, *list(op.operation.operands)[2:], **op.attributes)
