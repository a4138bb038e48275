"""Attention."""

from ttstack.ops.attributes import F32, Bool, Ui32
from ttstack.ops.base import Op
from ttstack.ops.flash import Attended, attention_nest, head_passes, is_flash, read_attention
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import broadcast_map, movement
from ttstack.ops.shapes import broadcast, expect
from ttstack.ops.tile_moves import heads
from ttstack.ops.types import TILE, TensorType, tile_shape, tiles
from ttstack.ops.work_estimate import WorkEstimate


class ScaledDotProductAttention(Op, mnemonic="scaled_dot_product_attention"):
    """`softmax(query @ key^T * scale + mask) @ value` for each head, flash-style in blocks.

    Query is [B, Hq, Sq, D], key and value [B, Hkv, Sk, D]; `Hq` is a multiple of `Hkv` (grouped queries).
    """

    multiplied = (0, 1, 1)
    computes = ("query", "key", "value")
    op_code = "SDPAOperation"
    query: TensorType
    key: TensorType
    value: TensorType
    attention_mask: TensorType | None = None
    attention_sink: TensorType | None = None
    is_causal: Bool = True
    scale: F32 | None = None
    sliding_window_size: Ui32 | None = None

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width."""
        q, k, v = self.query, self.key, self.value
        for name, t in (("query", q), ("key", k), ("value", v)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        expect(q.shape[0] == k.shape[0], f"batch of query is {q.shape[0]}, of key {k.shape[0]}")
        check_heads(q.shape[1], q.shape[3], k, v)
        expect(self.sliding_window_size != 0, "sliding_window_size is 0: no key is seen")
        if self.attention_mask is not None:
            expect(not self.is_causal, "takes an attention_mask or is_causal, not both")
            scores = (*q.shape[:3], k.shape[2])
            fits = broadcast(scores, self.attention_mask.shape) == scores
            expect(fits, f"attention_mask {list(self.attention_mask.shape)} does not broadcast to {list(scores)}")
        if (sink := self.attention_sink) is not None:
            one = sink.size == q.shape[1]
            expect(one, f"attention_sink {list(sink.shape)} is not a score for each of {q.shape[1]} heads")
        return q.with_shape((*q.shape[:3], v.shape[3]))

    def flops(self) -> int:
        """Return the operations of two matmuls over the visible scores; a causal mask halves both."""
        return self.score_parts().flops(self.query, self.key, self.value)

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of scores, softmax and values; only an estimate if a sink is not one number per head."""
        return attention_nest(self.operands, self.results[0], self.score_parts()) or self.estimate()

    def score_parts(self) -> Attended:
        """Return the operands and options that define the scores."""
        mask = None if self.attention_mask is None else 3
        sink = None if self.attention_sink is None else min(self.operand_positions("attention_sink"))
        scale = self.query.shape[3] ** -0.5 if self.scale is None else self.scale
        return Attended(scale, self.is_causal, self.sliding_window_size, mask, sink)

    def estimate(self) -> WorkEstimate:
        """Estimate the work of the attention kernel."""
        scores = self.results[0].with_shape((*self.query.shape[:3], self.key.shape[2]))
        columns = tiles(self.query.shape[3]) + tiles(self.value.shape[3])
        others = [broadcast_map(t, scores) for t in self.operands[3:]]
        return head_passes(tile_shape(scores.shape), columns, others, self.results[0], is_causal=self.is_causal)


def check_heads(heads: int, depth: int, key: TensorType, value: TensorType) -> None:
    """Raise `ValueError` unless key and value match except in width, and fit `heads` query heads of width `depth`."""
    expect(
        key.shape[:3] == value.shape[:3],
        f"key {list(key.shape)} and value {list(value.shape)} differ in batch, heads or length",
    )
    expect(depth == key.shape[3], f"head width of query is {depth}, of key {key.shape[3]}")
    grouped = key.shape[1] > 0 and heads % key.shape[1] == 0
    expect(grouped, f"{heads} query heads are not a multiple of {key.shape[1]} key heads")


class HeadMovement(Op):
    """Moves heads between columns of a matrix and a separate dimension."""

    computes = ()

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops that move whole tiles if the head width is a multiple of a tile; otherwise an estimate."""
        return self.moved_tiles() or movement(self.operands, self.results)

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that copy each tile; None if tiles are cut or there are several results."""
        return None

    @property
    def keeps_tiles(self) -> bool:
        """True if the op moves whole tiles for several tokens; padding of the last tile does not matter.

        Heads of one token become rows, which other kernels do.
        """
        rows, width = self.apart.shape[-2:]
        return rows > 1 and width % TILE == 0

    @property
    def apart(self) -> TensorType:
        """The tensor that has heads in a separate dimension."""
        return self.results[-1]


class ConcatenateHeads(HeadMovement, mnemonic="concatenate_heads"):
    """Concatenate heads: [B, H, S, D] to [B, S, H * D]."""

    op_code = "NLPConcatHeadsDeviceOperation"
    input: TensorType

    def infer(self) -> TensorType:
        """Return the type with the heads concatenated in the last dimension."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        b, h, s, d = self.input.shape
        return self.input.with_shape((b, s, h * d))

    @property
    def apart(self) -> TensorType:
        """The operand."""
        return self.input

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that place the tiles of all heads next to each other."""
        return heads(self.results[0], self.input, joined=True)


class SplitHeads(HeadMovement, mnemonic="split_heads"):
    """Split heads: [B, S, H * D] to [B, H, S, D].

    Fusion of a reshape and a permute creates it; it is not an op of tt-mlir.
    """

    op_code = "NlpCreateHeadsDeviceOperation"
    input: TensorType
    num_heads: Ui32

    def infer(self) -> TensorType:
        """Return the type with heads in a separate dimension."""
        expect(self.input.rank == 3, f"input has rank {self.input.rank}, not 3")
        b, s, width = self.input.shape
        splits = self.num_heads > 0 and width % self.num_heads == 0
        expect(splits, f"width {width} does not split into {self.num_heads} heads")
        return self.input.with_shape((b, self.num_heads, s, width // self.num_heads))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that place the tiles of each head below those of the previous head."""
        return heads(self.input, self.results[0], joined=False)


class SplitQueryKeyValueAndSplitHeads(HeadMovement, mnemonic="split_query_key_value_and_split_heads"):
    """Split [B, S, (H + 2 Hkv) * D] into query, key and value of [B, heads, S, D].

    `transpose_key` swaps the last two dimensions of the key.
    """

    op_code = "NlpCreateHeadsDeviceOperation"
    result_names = ("query", "key", "value")
    input_tensor: TensorType
    kv_input_tensor: TensorType | None = None
    num_heads: Ui32
    num_kv_heads: Ui32 | None = None
    transpose_key: Bool

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of query, key and value."""
        expect(self.input_tensor.rank == 3, f"input_tensor has rank {self.input_tensor.rank}, not 3")
        expect(self.num_kv_heads != 0, "num_kv_heads is 0")
        kv_heads = self.num_kv_heads or self.num_heads
        heads = self.num_heads + (0 if self.kv_input_tensor is not None else 2 * kv_heads)
        b, s, width = self.input_tensor.shape
        expect(self.num_heads > 0 and width % heads == 0, f"width {width} does not split into {heads} heads")
        d = width // heads
        keys = b, kv_heads, (s if self.kv_input_tensor is None else self.kv_input_tensor.shape[1]), d
        if self.kv_input_tensor is not None:
            got = self.kv_input_tensor.shape[-1]
            expect(got == 2 * kv_heads * d, f"kv_input_tensor has width {got}, expected {2 * kv_heads * d}")
        key = (*keys[:2], keys[3], keys[2]) if self.transpose_key else keys
        query = (b, self.num_heads, s, d)
        return tuple(self.input_tensor.with_shape(shape) for shape in (query, key, keys))


class SplitQueryKeyValueDecode(HeadMovement, mnemonic="split_query_key_value_decode"):
    """Split [1, users, (H + 2 Hkv) * D], one token per user, into query, key and value of [1, users, heads, D].

    Fusion of projections creates it; it is not an op of tt-mlir.
    """

    op_code = "NLPCreateQKVHeadsDecodeDeviceOperation"
    result_names = ("query", "key", "value")
    input: TensorType
    num_heads: Ui32
    num_kv_heads: Ui32

    def infer(self) -> tuple[TensorType, ...]:
        """Return the types of query, key and value."""
        expect(self.input.rank == 3, f"input has rank {self.input.rank}, not 3")
        lead, users, width = self.input.shape
        expect(lead == 1, f"input {list(self.input.shape)} has a first dimension of {lead}, not 1")
        heads = self.num_heads + 2 * self.num_kv_heads
        splits = self.num_heads > 0 < self.num_kv_heads and width % heads == 0
        expect(splits, f"width {width} does not split into {heads} heads")
        shapes = ((1, users, count, width // heads) for count in (self.num_heads, *[self.num_kv_heads] * 2))
        return tuple(self.input.with_shape(shape) for shape in shapes)

    @property
    def keeps_tiles(self) -> bool:
        """Always False: columns of a row become rows of a tile."""
        return False


class ConcatenateHeadsDecode(HeadMovement, mnemonic="concatenate_heads_decode"):
    """Concatenate heads of one token per user: [1, users, H, D] to [1, users, H * D].

    Fusion of a reshape creates it; it is not an op of tt-mlir.
    """

    op_code = "NLPConcatHeadsDecodeDeviceOperation"
    input: TensorType

    def infer(self) -> TensorType:
        """Return the type with the heads concatenated in the last dimension."""
        expect(self.input.rank == 4, f"input has rank {self.input.rank}, not 4")
        lead, users, heads, width = self.input.shape
        expect(lead == 1, f"input {list(self.input.shape)} has a first dimension of {lead}, not 1")
        return self.input.with_shape((1, users, heads * width))

    @property
    def keeps_tiles(self) -> bool:
        """Always False: rows of a tile become columns of a row."""
        return False


def scores_of(op: Op) -> Attended | None:
    """Return the operands of the scores of attention over whole sequences; None for any other op."""
    if isinstance(op, ScaledDotProductAttention):
        return op.score_parts()
    return read_attention(op.nest) if op.nest is not None and is_flash(op.nest) else None
