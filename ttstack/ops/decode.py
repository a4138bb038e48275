"""Attention of new tokens over a cache: one token or a chunk per user, in a plain or a paged cache.

Pages of keys and values are [blocks, heads, block length, depth], and a row of the page table lists the blocks of a
user in order.
"""

from ttstack.ops.attention import check_heads
from ttstack.ops.attributes import F32, Bool, Ui32
from ttstack.ops.base import Op
from ttstack.ops.flash import flash
from ttstack.ops.kv_cache import check_page_table
from ttstack.ops.loops import Access, IndexingMap
from ttstack.ops.shapes import broadcast, expect, integer
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate


class CacheAttention(Op):
    """`softmax(query @ key^T * scale) @ value` over cached keys and values."""

    multiplied = (0, 1, 1)

    def lengths(self) -> tuple[int, int, int]:
        """Return the number of users, query heads, and keys per user at most."""
        raise NotImplementedError(f"{type(self).__name__}.lengths")

    def widths(self) -> tuple[int, int]:
        """Return the head widths of keys and of values."""
        raise NotImplementedError(f"{type(self).__name__}.widths")

    def flops(self) -> int:
        """Return the operations of two matmuls over the capacity of the cache, or over the window."""
        users, heads, keys = self.lengths()
        return 2 * users * heads * min(keys, self.window or keys) * sum(self.widths())

    @property
    def window(self) -> int | None:
        """The maximum number of keys that a query attends to; None if unlimited."""
        return None

    def maps(self, query: IndexingMap) -> tuple[IndexingMap, ...]:
        """Return the maps of all present operands: keys and values are streamed, indices are read once."""
        found = {"query": query} | dict.fromkeys(("key", "value"), IndexingMap((0, 1, 3, None), Access.MULTICAST))
        found["attention_mask"] = IndexingMap((0 if self.lengths()[0] > 1 else None, None, None, 3))
        given = [n for n in self.operand_specs() if getattr(self, n) is not None]
        return tuple(found.get(name, IndexingMap((0,), Access.GATHER)) for name in given)


class DecodeAttentionOp(CacheAttention):
    """Attention of one token per user, over keys up to position `cur_pos_tensor[user]`.

    The query is [1, users, heads, depth]. `attention_sink` has a score for each head that enters the softmax without a
    value.
    """

    op_code = "SdpaDecodeDeviceOperation"

    @property
    def parts(self) -> tuple[TensorType, TensorType, TensorType]:
        """Query, keys and values."""
        raise NotImplementedError(f"{type(self).__name__}.parts")

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width."""
        query, key, value = self.parts
        for name, t in (("query", query), ("key", key), ("value", value)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        expect(query.shape[0] == 1, f"query {list(query.shape)} has a first dimension of {query.shape[0]}, not 1")
        check_heads(query.shape[2], query.shape[3], key, value)
        self.check_cache()
        self.check_masks()
        return query.with_shape((*query.shape[:3], self.widths()[1]))

    def check_cache(self) -> None:
        """Raise `ValueError` if the cache does not fit the users."""
        raise NotImplementedError(f"{type(self).__name__}.check_cache")

    def check_masks(self) -> None:
        """Raise `ValueError` unless positions, mask and sink fit users, heads and keys."""
        users, heads, keys = self.lengths()
        mask: TensorType | None = getattr(self, "attention_mask", None)
        positions: TensorType | None = getattr(self, "cur_pos_tensor", None)
        sink: TensorType | None = getattr(self, "attention_sink", None)
        if mask is not None:
            expect(not getattr(self, "is_causal", False), "takes an attention_mask or is_causal, not both")
            scores = (users, 1, heads, keys)
            fits = broadcast(scores, mask.shape) == scores
            expect(fits, f"attention_mask {list(mask.shape)} does not broadcast to {list(scores)}")
        if positions is not None:
            integer("cur_pos_tensor", positions)
            got = positions.shape
            expect(got == (users,), f"cur_pos_tensor has shape {list(got)}, expected [{users}]")
        if sink is not None:
            one = sink.size == heads or (sink.rank == 2 and sink.shape[0] == heads)
            expect(one, f"attention_sink {list(sink.shape)} has no score for each of {heads} heads")

    def widths(self) -> tuple[int, int]:
        """Return the widths of keys and values."""
        _, key, value = self.parts
        return key.shape[3], value.shape[3]

    def dispatch(self) -> WorkEstimate:
        """Estimate parallel work on users and key heads, each with the query heads of its group."""
        users, heads, keys = self.lengths()
        key_heads = max(self.parts[1].shape[1], 1)
        visible = min((self.window or keys) / max(keys, 1), 1.0)
        extents = (users, key_heads, heads // key_heads, keys)
        query = IndexingMap((None, 0, 2, None))
        return flash(extents, self.widths(), self.maps(query), query, visible)


class ScaledDotProductAttentionDecode(DecodeAttentionOp, mnemonic="scaled_dot_product_attention_decode"):
    """Decode attention over a plain cache: keys and values are [users, key heads, length, depth].

    The mask broadcasts to [users, 1, heads, length].
    """

    host_indices = ("cur_pos_tensor",)
    query: TensorType
    key: TensorType
    value: TensorType
    attention_mask: TensorType | None = None
    cur_pos_tensor: TensorType
    attention_sink: TensorType | None = None
    is_causal: Bool = True
    scale: F32 | None = None
    sliding_window_size: Ui32 | None = None

    @property
    def parts(self) -> tuple[TensorType, TensorType, TensorType]:
        """Query, keys and values."""
        return self.query, self.key, self.value

    @property
    def window(self) -> int | None:
        """The sliding window."""
        return self.sliding_window_size

    def lengths(self) -> tuple[int, int, int]:
        """Return the number of users and heads, and the length of the cache."""
        return self.query.shape[1], self.query.shape[2], self.key.shape[2]

    def check_cache(self) -> None:
        """Raise `ValueError` unless cache and query have the same number of users."""
        users, cached = self.query.shape[1], self.key.shape[0]
        expect(users == cached, f"query has {users} users, key {cached}")


class PagedDecodeAttention(DecodeAttentionOp):
    """Decode attention over a paged cache."""

    host_indices = ("page_table", "cur_pos_tensor")

    @property
    def table(self) -> TensorType:
        """The page table: a row of page numbers for each user."""
        raise NotImplementedError(f"{type(self).__name__}.table")

    def lengths(self) -> tuple[int, int, int]:
        """Return the number of users and heads, and the capacity of a user's pages."""
        query, key, _ = self.parts
        return query.shape[1], query.shape[2], self.table.shape[-1] * key.shape[2]

    def check_cache(self) -> None:
        """Raise `ValueError` unless the page table has a row for each user."""
        check_page_table(self.table, self.parts[0].shape[1])


class PagedScaledDotProductAttentionDecode(PagedDecodeAttention, mnemonic="paged_scaled_dot_product_attention_decode"):
    """Attention of one token per user over a paged cache; `output` is only a destination buffer."""

    query: TensorType
    key: TensorType
    value: TensorType
    page_table: TensorType
    output: TensorType
    attention_mask: TensorType | None = None
    cur_pos_tensor: TensorType | None = None
    attention_sink: TensorType | None = None
    is_causal: Bool = True
    scale: F32 | None = None
    sliding_window_size: Ui32 | None = None

    @property
    def parts(self) -> tuple[TensorType, TensorType, TensorType]:
        """Query, keys and values."""
        return self.query, self.key, self.value

    @property
    def table(self) -> TensorType:
        """The page table: a row of page numbers for each user."""
        return self.page_table

    @property
    def window(self) -> int | None:
        """The sliding window."""
        return self.sliding_window_size

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width; it must equal the type of `output`."""
        return same_output(super().infer(), self.output)


class PagedFlashMultiLatentAttentionDecode(PagedDecodeAttention, mnemonic="paged_flash_multi_latent_attention_decode"):
    """Attention over latent pages of one head.

    Without `value`, the values are the first `head_dim_v` columns of the keys.
    """

    query: TensorType
    key: TensorType
    value: TensorType | None = None
    page_table: TensorType
    attention_mask: TensorType | None = None
    cur_pos_tensor: TensorType | None = None
    attention_sink: TensorType | None = None
    head_dim_v: Ui32
    is_causal: Bool = True
    scale: F32 | None = None

    @property
    def parts(self) -> tuple[TensorType, TensorType, TensorType]:
        """Query, keys, and values; the keys again if there are no values."""
        return self.query, self.key, self.key if self.value is None else self.value

    @property
    def table(self) -> TensorType:
        """The page table: a row of page numbers for each user."""
        return self.page_table

    def infer(self) -> TensorType:
        """Return the query's shape with a width of `head_dim_v`."""
        found = super().infer()
        for name, t in (("key", self.key), ("value", self.value)):
            expect(t is None or t.shape[1] == 1, f"{name} has {t.shape[1] if t else 0} heads, latent pages have 1")
        width = self.parts[2].shape[3]
        expect(0 < self.head_dim_v <= width, f"head_dim_v is {self.head_dim_v}, values have a width of {width}")
        return found

    def widths(self) -> tuple[int, int]:
        """Return the width of keys, and of the columns that are values."""
        return self.key.shape[3], self.head_dim_v


class ChunkedScaledDotProductAttention(CacheAttention, mnemonic="chunked_scaled_dot_product_attention"):
    """Causal attention over pages of queries [users, heads, n, depth] at positions from `chunk_start_idx` on.

    `output` is only a destination buffer.
    """

    op_code = "SDPAOperation"
    host_indices = ("page_table", "chunk_start_idx")
    query: TensorType
    key: TensorType
    value: TensorType
    page_table: TensorType
    chunk_start_idx: TensorType
    output: TensorType
    scale: F32 | None = None

    def infer(self) -> TensorType:
        """Return the query's shape with the value's width; it must equal the type of `output`."""
        query, start = self.query, self.chunk_start_idx
        for name, t in (("query", query), ("key", self.key), ("value", self.value)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        check_heads(query.shape[1], query.shape[3], self.key, self.value)
        check_page_table(self.page_table, query.shape[0])
        integer("chunk_start_idx", start)
        expect(start.shape == (1,), f"chunk_start_idx has shape {list(start.shape)}, expected [1]")
        count, room = query.shape[2], self.lengths()[2]
        expect(count <= room, f"query has {count} rows, the pages of a user hold {room}")
        return same_output(query.with_shape((*query.shape[:3], self.value.shape[3])), self.output)

    def lengths(self) -> tuple[int, int, int]:
        """Return the number of users, query rows of all heads, and the capacity of a user's pages."""
        users, heads, count, _ = self.query.shape
        return users, heads * count, self.page_table.shape[1] * self.key.shape[2]

    def widths(self) -> tuple[int, int]:
        """Return the widths of keys and values."""
        return self.key.shape[3], self.value.shape[3]

    def dispatch(self) -> WorkEstimate:
        """Estimate parallel work on heads and query blocks, with key blocks in sequence."""
        users, heads, count, _ = self.query.shape
        query = IndexingMap((0, 1, 2, None))
        return flash((users, heads, count, self.lengths()[2]), self.widths(), self.maps(query), query)


def same_output(inferred: TensorType, output: TensorType) -> TensorType:
    """Return `inferred`; raise `ValueError` unless it is the type of the operand `output`."""
    expect(output == inferred, f"output is {output}, inferred {inferred}")
    return inferred
