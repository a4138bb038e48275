"""Attention: 16-bit operands, heads of equal width, and a mask row for each query."""

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
"""The format of attention if operands have 32 bits."""

_OF_ONE_TOKEN = frozenset(name for name, op in OPS.items() if issubclass(op, DecodeAttentionOp))

_PAGES = 8
"""Number of pages per user must be a multiple of this for chunked attention: 32 bytes of a table row."""


@calls_of("scaled_dot_product_attention", "block_sparse_attention")
def attention(s: CallWriter) -> CallSequence | None:
    """Pad narrower operands with zeros, and slice the padding off the result."""
    if s.is_dispatch:
        narrow = [_NARROW if layout.dtype is DType.F32 else layout.dtype for layout in s.whole.operands]
        return compute_in(s, narrow, narrow[0])
    query, value = s.op.query.shape, s.op.value.shape
    width = max(query[-1], value[-1])
    named_values = {place: _widened(s, place, width) for place in ("query", "key", "value")}
    named_values["attention_mask"] = _for_all(s, query[2])
    named_values["attention_sink"] = _sink(s, [1, query[1], 1, 1], s.op.scale or query[-1] ** -0.5)
    named_values |= {place: s.operand(place) for place in list(s.op.operand_specs())[len(named_values) :]}
    scale = s.op.scale or (None if query[-1] == value[-1] else query[-1] ** -0.5)
    values = [v for v in named_values.values() if v is not None]
    types = {place: s.type(v) for place, v in named_values.items() if v is not None}
    own = replace(s.op, **types, scale=scale)
    result_dtype = _NARROW if s.layout(0).dtype is DType.F32 else s.layout(0).dtype
    whole = Layout(result_dtype) if width > value[-1] else replace(s.wanted, dtype=result_dtype)
    attended = s.itself(own, *values, to=[whole])
    if width > value[-1]:
        attended = _cut(s, attended)
    return s.end(s.cast(attended, s.wanted.dtype, to=s.wanted))


@calls_of("linear_bias_attention")
def linear_bias(s: CallWriter) -> CallSequence | None:
    """Call attention with wider heads: extra columns of queries and keys add the bias.

    They come first, so that their contributions cancel in the first step of the matrix engine, before heads are added.
    Queries are in bf16, as block formats would lose parts of slopes; keys' digits fit block formats.
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
    attended = s.itself(own, *values, to=[Layout(_NARROW)])
    if s.type(attended).shape[-1] > width:
        attended = _cut(s, attended)
    return s.end(s.cast(attended, s.wanted.dtype, to=s.wanted))


def _behind_columns(s: CallWriter, place: str, columns: str, least: DType) -> int:
    """Concatenate columns before those of heads, in the format of the heads if it is `least`, otherwise in bf16."""
    heads, first = (s.operand(name) for name in (place, columns))
    assert heads is not None
    assert first is not None
    call_dtype = least if s.layout(heads).dtype is least else _NARROW
    first = s.cast(first, call_dtype)
    if (batch := s.type(heads).shape[0]) > 1:
        first = s.call(Repeat(input=s.type(first), repeat_dimensions=(batch, 1, 1, 1)), first)
    heads = s.cast(heads, call_dtype)
    return s.call(Concat(inputs=(s.type(first), s.type(heads)), dim=3), first, heads)


def _cut(s: CallWriter, attended: int) -> int:
    shape, cut_dtype = s.op.results[0].shape, compute_format(CUT, s.layout(attended).dtype)
    attended = s.cast(attended, cut_dtype)
    part = SliceStatic(input=s.type(attended), begins=(0,) * 4, ends=shape, step=(1,) * 4)
    return s.call(part, attended, to=replace(s.wanted, dtype=cut_dtype))


def _widened(s: CallWriter, place: str, width: int) -> int | None:
    operand = _narrow(s, place)
    if operand is None or (more := width - s.type(operand).shape[-1]) <= 0:
        return operand
    return s.call(Pad(input=s.type(operand), padding=(*[0] * 7, more), value=0.0), operand)


def _narrow(s: CallWriter, place: str) -> int | None:
    """Return an operand in a format that attention supports: not in 32 bits."""
    value = s.operand(place)
    if value is None or s.layout(value).dtype is not DType.F32:
        return value
    return s.cast(value, _NARROW)


def _for_all(s: CallWriter, queries: int) -> int | None:
    mask = _narrow(s, "attention_mask")
    if mask is None or s.type(mask).shape[-2] == queries:
        return mask
    return s.call(Repeat(input=s.type(mask), repeat_dimensions=(1, 1, queries, 1)), mask)


def _sink(s: CallWriter, wanted: Sequence[int], scale: float) -> int | None:
    """Return a score per head in the kernel's shape, divided by the scale by which the kernel multiplies it."""
    sink = _narrow(s, "attention_sink")
    if sink is None:
        return None
    scaled = sink if scale == 1 else s.apply("multiply", s.tile(sink), s.scalar(1 / scale))
    return s.reshape(scaled, wanted)


@calls_of(*(name for name, op in OPS.items() if issubclass(op, CacheAttention)))
def over_cache(s: CallWriter) -> CallSequence | None:
    """Call attention of new tokens over a cache, with grouped queries in bf16, and signed page indices."""
    values: dict[str, int] = {}
    own, heads = s.op, s.op.query.shape[2]
    paged, grouped = "page_table" in own.operand_specs(), own.key.shape[1] > 1 and s.kind in _OF_ONE_TOKEN
    for place in s.op.operand_specs():
        value = s.operand(place)
        if value is None:
            continue
        if place == "attention_sink":
            value = _sink(s, [heads, s.type(value).size // heads], own.scale or own.query.shape[-1] ** -0.5)
        elif place == "query" and grouped:
            value = s.cast(value, _NARROW)
        elif place == "attention_mask":
            value = _of_every_head(s, own)
        elif place in ("query", "key", "value"):
            value = _narrow(s, place)
        elif paged and place != "output":
            value = s.cast(value, DType.SI32)
        assert value is not None
        values[place] = value
    if isinstance(own, ChunkedScaledDotProductAttention):
        values["page_table"] = _whole_rows(s, values["page_table"])
        own = replace(own, page_table=s.type(values["page_table"]))
    query_dtype = s.layout(values["query"]).dtype
    value = s.itself(own, *values.values(), to=[replace(s.wanted, dtype=query_dtype)])
    return s.end(s.cast(value, s.wanted.dtype, to=s.wanted))


def _of_every_head(s: CallWriter, own: CacheAttention) -> int | None:
    """Return a mask with a row for each user and head, and a column for each key."""
    mask = _narrow(s, "attention_mask")
    assert mask is not None
    users, heads, keys = own.lengths()
    times = tuple(n // had for n, had in zip((users, 1, heads, keys), s.type(mask).shape, strict=True))
    return s.call(Repeat(input=s.type(mask), repeat_dimensions=times), mask) if set(times) > {1} else mask


def _whole_rows(s: CallWriter, pages: int) -> int:
    """Pad a table to the row length of the kernel, with pages after all visible ones."""
    more = -s.type(pages).shape[1] % _PAGES
    return s.call(Pad(input=s.type(pages), padding=(0, 0, 0, more), value=0.0), pages) if more else pages
