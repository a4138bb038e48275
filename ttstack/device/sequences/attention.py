"""Attention: not in 32 bits, heads as wide as each other, a row of the mask for each query."""

from collections.abc import Sequence
from dataclasses import replace

from ttstack.device.layout import Layout
from ttstack.device.sequences.formats import compute_format, compute_in
from ttstack.device.sequences.indexing import CUT
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.base import OPS
from ttstack.ops.decode import CacheAttention, ChunkedScaledDotProductAttention, DecodeAttentionOp
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.linear_bias import COLUMNS
from ttstack.ops.shape import Concat, Pad, Repeat
from ttstack.ops.types import DType

_NARROW = DType.BF16
"""What attention computes with where operands have 32 bits."""

_OF_ONE_TOKEN = frozenset(name for name, op in OPS.items() if issubclass(op, DecodeAttentionOp))

_PAGES = 8
"""Pages of a user, of which attention of a chunk takes a multiple: 32 bytes of a row of the table."""


@calls_of("scaled_dot_product_attention", "block_sparse_attention")
def attention(s: CallWriter) -> CallSequence | None:
    """What is narrower than the rest is filled up with zeros, which are cut off again."""
    if s.is_dispatch:
        narrow = [_NARROW if layout.dtype is DType.F32 else layout.dtype for layout in s.whole.operands]
        return compute_in(s, narrow, narrow[0])
    query, value = s.op.query.shape, s.op.value.shape
    width = max(query[-1], value[-1])
    given = {place: _widened(s, place, width) for place in ("query", "key", "value")}
    given["attention_mask"] = _for_all(s, query[2])
    given["attention_sink"] = _sink(s, [1, query[1], 1, 1], s.op.scale or query[-1] ** -0.5)
    given |= {place: s.operand(place) for place in list(s.op.operand_specs())[len(given) :]}
    scale = s.op.scale or (None if query[-1] == value[-1] else query[-1] ** -0.5)
    values = [v for v in given.values() if v is not None]
    types = {place: s.type(v) for place, v in given.items() if v is not None}
    own = replace(s.op, **types, scale=scale)
    held = _NARROW if s.layout(0).dtype is DType.F32 else s.layout(0).dtype
    whole = Layout(held) if width > value[-1] else replace(s.wanted, dtype=held)
    found = s.itself(own, *values, to=[whole])
    if width > value[-1]:
        found = _cut(s, found)
    return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))


@calls_of("linear_bias_attention")
def linear_bias(s: CallWriter) -> CallSequence | None:
    """Attention of wider heads: before the columns of queries and keys stand those whose product is the bias.

    They come first, so that what they add cancels in the first step of the matrix engine, before heads are added.
    Queries are in bf16, as blocks with one exponent would lose parts of slopes; digits of keys they hold.
    """
    query, width = s.op.query.shape, s.op.value.shape[-1]
    scale = s.op.scale or query[-1] ** -0.5
    parts: dict[str, int | None] = {"query": _behind_columns(s, "query", "query_columns", _NARROW)}
    parts["key"] = _behind_columns(s, "key", "key_columns", DType.BFP8_B)
    parts["value"] = _widened(s, "value", query[-1] + COLUMNS)
    sink = _sink(s, [1, query[1], 1, 1], scale)
    values = [v for v in (*parts.values(), sink) if v is not None]
    own = ScaledDotProductAttention(
        **{place: s.type(v) for place, v in parts.items() if v is not None},
        attention_sink=None if sink is None else s.type(sink),
        is_causal=s.op.is_causal,
        scale=scale,
        sliding_window_size=s.op.sliding_window_size,
    )
    found = s.itself(own, *values, to=[Layout(_NARROW)])
    if s.type(found).shape[-1] > width:
        found = _cut(s, found)
    return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))


def _behind_columns(s: CallWriter, place: str, columns: str, least: DType) -> int:
    """Columns before those of heads, in the format of the heads where that is `least`, else in bf16."""
    heads, first = (s.operand(name) for name in (place, columns))
    assert heads is not None
    assert first is not None
    held = least if s.layout(heads).dtype is least else _NARROW
    first = s.cast(first, held)
    if (batch := s.type(heads).shape[0]) > 1:
        first = s.call(Repeat(input=s.type(first), repeat_dimensions=(batch, 1, 1, 1)), first)
    heads = s.cast(heads, held)
    return s.call(Concat(inputs=(s.type(first), s.type(heads)), dim=3), first, heads)


def _cut(s: CallWriter, found: int) -> int:
    shape, held = s.op.results[0].shape, compute_format(CUT, s.layout(found).dtype)
    found = s.cast(found, held)
    part = SliceStatic(input=s.type(found), begins=(0,) * 4, ends=shape, step=(1,) * 4)
    return s.call(part, found, to=replace(s.wanted, dtype=held))


def _widened(s: CallWriter, place: str, width: int) -> int | None:
    found = _narrow(s, place)
    if found is None or (more := width - s.type(found).shape[-1]) <= 0:
        return found
    return s.call(Pad(input=s.type(found), padding=(*[0] * 7, more), value=0.0), found)


def _narrow(s: CallWriter, place: str) -> int | None:
    """An operand in a format that attention takes: not in 32 bits."""
    found = s.operand(place)
    if found is None or s.layout(found).dtype is not DType.F32:
        return found
    return s.cast(found, _NARROW)


def _for_all(s: CallWriter, queries: int) -> int | None:
    found = _narrow(s, "attention_mask")
    if found is None or s.type(found).shape[-2] == queries:
        return found
    return s.call(Repeat(input=s.type(found), repeat_dimensions=(1, 1, queries, 1)), found)


def _sink(s: CallWriter, wanted: Sequence[int], scale: float) -> int | None:
    """A score a head, in the shape that a kernel takes, which multiplies it by the scale as it does products."""
    found = _narrow(s, "attention_sink")
    if found is None:
        return None
    scaled = found if scale == 1 else s.apply("multiply", s.tile(found), s.scalar(1 / scale))
    return s.reshape(scaled, wanted)


@calls_of(*(name for name, op in OPS.items() if issubclass(op, CacheAttention)))
def over_cache(s: CallWriter) -> CallSequence | None:
    """New tokens over a cache: queries of several groups in bf16, indices of pages with a sign."""
    values: dict[str, int] = {}
    own, heads = s.op, s.op.query.shape[2]
    paged, grouped = "page_table" in own.operand_specs(), own.key.shape[1] > 1 and s.kind in _OF_ONE_TOKEN
    for place in s.op.operand_specs():
        found = s.operand(place)
        if found is None:
            continue
        if place == "attention_sink":
            found = _sink(s, [heads, s.type(found).size // heads], own.scale or own.query.shape[-1] ** -0.5)
        elif place == "query" and grouped:
            found = s.cast(found, _NARROW)
        elif place == "attention_mask":
            found = _of_every_head(s, own)
        elif place in ("query", "key", "value"):
            found = _narrow(s, place)
        elif paged and place != "output":
            found = s.cast(found, DType.SI32)
        assert found is not None
        values[place] = found
    if isinstance(own, ChunkedScaledDotProductAttention):
        values["page_table"] = _whole_rows(s, values["page_table"])
        own = replace(own, page_table=s.type(values["page_table"]))
    held = s.layout(values["query"]).dtype
    found = s.itself(own, *values.values(), to=[replace(s.wanted, dtype=held)])
    return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))


def _of_every_head(s: CallWriter, own: CacheAttention) -> int | None:
    """A mask with a row for each user and head, and a column for each key."""
    found = _narrow(s, "attention_mask")
    assert found is not None
    users, heads, keys = own.lengths()
    times = tuple(n // had for n, had in zip((users, 1, heads, keys), s.type(found).shape, strict=True))
    return s.call(Repeat(input=s.type(found), repeat_dimensions=times), found) if set(times) > {1} else found


def _whole_rows(s: CallWriter, pages: int) -> int:
    """A table whose rows are as long as the kernel reads; the pages that are added stand behind all that are seen."""
    more = -s.type(pages).shape[1] % _PAGES
    return s.call(Pad(input=s.type(pages), padding=(0, 0, 0, more), value=0.0), pages) if more else pages
