"""Writes into caches of keys and values, which modify their first operand.

A plain cache is [users, heads, length, depth]. A paged cache is [blocks, heads, block length, depth], and a row of the
page table lists the blocks of a user in order.
"""

from ttstack.ops.attributes import I32, Bool, ResultDType
from ttstack.ops.base import Op
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.shapes import expect, integer
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


class CacheWrite(Op):
    """Write rows of `input` into `cache`. The op has no result; in older MLIR files its result is the updated cache."""

    op_code = "PagedUpdateCacheDeviceOperation"
    pure = False
    optional_result = True
    mutates = ("cache",)
    cache: TensorType
    input: TensorType
    dtype: ResultDType | None = None

    def infer(self) -> tuple[TensorType, ...]:
        """Return no types, or the cache's type if a result is declared."""
        for name, t in (("cache", self.cache), ("input", self.input)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        real = self.cache.dtype.is_float and self.input.dtype.is_float
        same = real or self.cache.dtype == self.input.dtype
        expect(same, f"input holds {self.input.dtype}, cache {self.cache.dtype}")
        depth, width = self.cache.shape[3], self.input.shape[3]
        expect(depth == width, f"head width of cache is {depth}, of input {width}")
        self.check_places()
        return () if self.dtype is None else (self.cache,)

    def check_places(self) -> None:
        """Raise `ValueError` if the rows do not fit into the cache."""
        raise NotImplementedError(f"{type(self).__name__}.check_places")

    @property
    def rows(self) -> int:
        """The number of rows of `input` that are written, counted for each head."""
        return self.input.size // max(self.input.shape[3], 1)

    def written_elements(self) -> int:
        """Return the number of elements of all rows."""
        return self.rows * self.cache.shape[3]

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> WorkEstimate:
        """Estimate the read, update and write of tiles anywhere in the cache."""
        anywhere = IndexingMap((0,), Access.GATHER)
        return WorkEstimate(
            domain=(tiles(self.rows), tiles(self.cache.shape[3])),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL),
            inputs=(anywhere,) * len(self.operands),
            outputs=(),
            body=(TileWork("copy", (1,)),),
        )


class PlainCacheWrite(CacheWrite):
    """Write into a cache [users, heads, length, depth], for users from `batch_offset` on."""

    batch_offset: I32

    def check_rows(self, users: int, count: int) -> None:
        """Raise `ValueError` unless `users` users with `count` rows each fit."""
        heads, given = self.cache.shape[1], self.input.shape[1]
        expect(heads == given, f"cache has {heads} heads, input {given}")
        room, length, at = self.cache.shape[0], self.cache.shape[2], self.batch_offset
        fits = at >= 0 and at + users <= room
        expect(fits, f"{users} users from batch_offset {at} on do not fit a cache of {room} users")
        expect(count <= length, f"input has {count} rows, the cache has room for {length}")


class UpdateCache(PlainCacheWrite, mnemonic="update_cache"):
    """Write rows [users, heads, n, depth], or [1, heads, users, depth], from position `update_index` on.

    `update_index` has one position for all users, or one for each.
    """

    host_indices = ("update_index",)
    update_index: TensorType

    @property
    def users(self) -> int:
        """The number of users written; the third dimension holds them if the first has extent 1 and they fit."""
        lead, _, count, _ = self.input.shape
        return count if lead == 1 and 1 < count <= self.cache.shape[0] - self.batch_offset else lead

    def check_places(self) -> None:
        """Raise `ValueError` if users, heads or positions do not fit."""
        transposed = self.users != self.input.shape[0]
        self.check_rows(self.users, 1 if transposed else self.input.shape[2])
        integer("update_index", self.update_index)
        count = self.update_index.size
        expect(count in (1, self.users), f"update_index has {count} entries for {self.users} users")


class FillCache(PlainCacheWrite, mnemonic="fill_cache"):
    """Write rows [users, heads, n, depth] to the first positions."""

    def check_places(self) -> None:
        """Raise `ValueError` if users, heads or positions do not fit."""
        self.check_rows(self.input.shape[0], self.input.shape[2])


class PagedUpdateCache(CacheWrite, mnemonic="paged_update_cache"):
    """Write one row per user, [1, users, heads, depth], at its own `update_index`; a negative index skips the user.

    Heads past those of the cache are padding. Without a page table the cache is plain; with `share_cache` all users
    write to one.
    """

    host_indices = ("update_index", "page_table")
    update_index: TensorType
    page_table: TensorType | None = None
    share_cache: Bool = False

    @property
    def rows(self) -> int:
        """The number of rows: one for each user and head of the cache."""
        return self.input.shape[1] * self.cache.shape[1]

    def check_places(self) -> None:
        """Raise `ValueError` unless users, heads and the page table fit."""
        lead, users, heads, _ = self.input.shape
        expect(lead == 1, f"input {list(self.input.shape)} has a first dimension of {lead}, not 1")
        expect(heads >= self.cache.shape[1], f"input has {heads} heads, cache {self.cache.shape[1]}")
        integer("update_index", self.update_index)
        got = self.update_index.shape
        expect(got == (users,), f"update_index has shape {list(got)}, expected [{users}]")
        if self.page_table is not None:
            check_page_table(self.page_table, users)
            return
        room = self.cache.shape[0]
        fits = room == 1 if self.share_cache else users <= room
        expect(fits, f"{users} users do not fit a cache of {room}" + (" that they share" if self.share_cache else ""))


class PagedFillCache(CacheWrite, mnemonic="paged_fill_cache"):
    """Write rows [users, heads, n, depth] to the first positions of the users in `batch_idx_tensor` (default: 0).

    Heads past those of the cache are padding.
    """

    host_indices = ("page_table", "batch_idx_tensor")
    page_table: TensorType
    batch_idx_tensor: TensorType | None = None

    @property
    def rows(self) -> int:
        """The number of rows, for the heads that the cache has."""
        return self.input.shape[0] * self.cache.shape[1] * self.input.shape[2]

    def check_places(self) -> None:
        """Raise `ValueError` unless users, heads, rows and pages fit."""
        users, heads, count, _ = self.input.shape
        _, held, block, _ = self.cache.shape
        expect(held > 0 and heads % held == 0, f"{heads} heads of input are not a multiple of the cache's {held}")
        check_page_table(self.page_table)
        room = self.page_table.shape[1] * block
        expect(count <= room, f"input has {count} rows, the pages of a user hold {room}")
        if self.batch_idx_tensor is None:
            expect(users == 1, f"input has {users} users, without batch_idx_tensor it can have 1")
            return
        integer("batch_idx_tensor", self.batch_idx_tensor)
        got = self.batch_idx_tensor.shape
        expect(got == (users,), f"batch_idx_tensor has shape {list(got)}, expected [{users}]")


def check_page_table(table: TensorType, users: int | None = None) -> None:
    """Raise `ValueError` unless the page table is an integer matrix, with a row for each of `users` if known."""
    integer("page_table", table)
    expect(table.rank == 2, f"page_table has rank {table.rank}, not 2")
    rows = table.shape[0]
    expect(users is None or rows == users, f"page_table has {rows} rows for {users} users")
