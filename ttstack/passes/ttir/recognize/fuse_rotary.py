"""Recognition of rotary embeddings, decomposed to slices, multiplications and additions."""

from typing import Any

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import concat_dim, find_producer, negation
from ttstack.passes.ttir.recognize.interleaved_rotary import PATTERNS, rotate_neighbours, rotated_pairs
from ttstack.passes.ttir.recognize.repeated_elements import double

_SWAPPED = (0, 2, 1, 3)


class FuseRotary(
    Pass,
    name="fuse-rotary",
    optional=True,
    stage=Stage.ATTENTION,
    after={"decode-attention": "for one token per user, heads are then the rows of tiles"},
):
    """Fuse `x * cos + rotate_half(x) * sin` into one op.

    The halves of a row are whole tiles, or a row is one tile wide, as ttnn's kernels require. For one token per user,
    heads are the rows of tiles. The interleaved form is supported too, for the whole row or its first part.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.add", _sum), ("ttir.concat", _halves), *PATTERNS])


def _sum(op: ir.Operation) -> list[ir.Value] | None:
    for plain, rotated in (op.operands, reversed(op.operands)):
        first, second = find_producer(plain, "multiply"), find_producer(rotated, "multiply")
        if first is None or second is None:
            return None
        for x, cos in (first.operands, reversed(first.operands)):
            for other, sin in (second.operands, reversed(second.operands)):
                if read_type(x.type) != read_type(op.results[0].type):
                    continue
                if _fits(x) and _turns(other, x):
                    return [rotary(x, _repeated(cos), _repeated(sin))]
                if (result := rotate_neighbours(other, x, cos, sin)) is not None:
                    return [result]
    return None


def _halves(op: ir.Operation) -> list[ir.Value] | None:
    """Match `a * cos - b * sin` and `b * cos + a * sin` of the halves a and b of each row, as in ONNX and JAX."""
    result = read_type(op.results[0].type)
    if len(op.operands) != len(("a", "b")) or concat_dim(op) != result.rank - 1:
        return None
    half = result.shape[-1] // 2
    for a, cos, b, sin in rotated_pairs(*op.operands):
        cut = find_producer(a, "slice_static")
        if cut is None or read_type(cut.operands[0].type) != result or not _fits(cut.operands[0]):
            continue
        x = cut.operands[0]
        tables = all(read_type(t.type).shape[-1:] == (half,) for t in (cos, sin))
        if tables and _is_part(a, x, 0, half) and _is_part(b, x, half, 2 * half):
            return [rotary(x, double(cos, halves=True), double(sin, halves=True))]
    return None


def _fits(x: ir.Value) -> bool:
    return any(w == TILE or w % (2 * TILE) == 0 for w in read_type(x.type).shape[-1:])


def _turns(value: ir.Value, x: ir.Value) -> bool:
    """Return True if the value is the negated second half of each row of `x`, then the first half."""
    joined = find_producer(value, "concat")
    if joined is None or len(joined.operands) != 2 or read_type(value.type) != read_type(x.type):
        return False
    width = read_type(x.type).shape[-1]
    if concat_dim(joined) != read_type(x.type).rank - 1:
        return False
    first, second = joined.operands
    return _is_part(negation(first), x, width // 2, width) and _is_part(second, x, 0, width // 2)


def _is_part(value: ir.Value | None, x: ir.Value, begin: int, end: int) -> bool:
    """Return True if the value is columns `begin` to `end` of `x`."""
    op = find_producer(value, "slice_static")
    if op is None or op.operands[0] != x:
        return False
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    whole = cut.input.shape[:-1] == cut.results[0].shape[:-1]
    return whole and set(cut.step) == {1} and (cut.begins[-1], cut.ends[-1]) == (begin, end)


def _repeated(table: ir.Value) -> ir.Value:
    """Return angles before they were repeated for all rows that share them."""
    op = find_producer(table, "broadcast")
    return table if op is None else op.operands[0]


def rotary(x: ir.Value, cos: ir.Value, sin: ir.Value, **attributes: Any) -> ir.Value:
    """Build the op.

    For one token per user, heads are rows, as in [1, users, heads, width], otherwise heads come first.
    """
    shape, tables = read_type(x.type).shape, (read_type(cos.type).shape, read_type(sin.type).shape)
    of_tokens = len(shape) == len(_SWAPPED) and all(
        t in [(n, *shape[1:2], 1, shape[3]) for n in (1, shape[0])] for t in tables
    )
    if of_tokens and (shape[1] > TILE or shape[0] > 1 < shape[1]):
        cos, sin = (reshape_to(t, (s[0], 1, *s[1::2])) for t, s in zip((cos, sin), tables, strict=True))
        rotated = ttir.rotary_embedding(permute_dims(x, _SWAPPED), cos, sin, **attributes)
        return permute_dims(rotated, _SWAPPED)
    alone = len(shape) == len(_SWAPPED) and 1 in shape[1:3] and shape[1:3] != (1, 1)
    if not alone or any(len(t) != len(_SWAPPED) or t[1:3] != (1, 1) for t in tables):
        return ttir.rotary_embedding(x, cos, sin, **attributes)
    users, *heads, width = shape
    angles = (reshape_to(t, (1, s[0], 1, width)) for t, s in zip((cos, sin), tables, strict=True))
    rotated = ttir.rotary_embedding(reshape_to(x, (1, users, max(heads), width)), *angles, **attributes)
    return reshape_to(rotated, shape)
