"""Attention over caches: against plain softmax attention, and what is ill-formed."""

import numpy as np
import pytest

import ttstack
from tests.ops.text import assert_refused, module, run

USERS, HEADS, KV, DEPTH, BLOCK, PAGES = 3, 4, 2, 8, 4, 2
LENGTH = BLOCK * PAGES


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def softmax_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, scale: float, sink: float | None = None
) -> np.ndarray:
    """One head of one user: [n, D] on [m, D], with a score that takes part and has no value."""
    scores = query.astype(np.float64) @ key.astype(np.float64).T * scale
    if sink is not None:
        scores = np.concatenate([scores, np.full((len(scores), 1), sink)], axis=1)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights[:, : len(key)] @ value.astype(np.float64)


def by_user(query, key, value, lengths, scale=DEPTH**-0.5, sink=None, window=None) -> np.ndarray:
    """[1, users, heads, depth] on plain caches, user by user and head by head."""
    _, users, heads, _ = query.shape
    out = np.zeros((1, users, heads, value.shape[3]))
    for u in range(users):
        for h in range(heads):
            seen = slice(max(0, lengths[u] - window) if window else 0, lengths[u])
            k, v = key[u, h * key.shape[1] // heads, seen], value[u, h * value.shape[1] // heads, seen]
            out[0, u, h] = softmax_attention(query[0, u, h : h + 1], k, v, scale, None if sink is None else sink[h])
    return out


def pages(rng: np.random.Generator, heads: int = KV, width: int = DEPTH):
    """A cache in pages, its table, and the same user by user."""
    table = rng.permutation(USERS * PAGES).reshape(USERS, PAGES).astype(np.int32)
    cache = rng.standard_normal((USERS * PAGES, heads, BLOCK, width)).astype(np.float32)
    return cache, table, np.stack([np.concatenate(list(cache[row]), axis=1) for row in table])


def plain(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def test_decode_as_written(rng):
    query, key, value = plain(rng, 1, 3, 4, 8), plain(rng, 3, 2, 8, 8), plain(rng, 3, 2, 8, 8)
    places = np.array([0, 3, 7], np.int32)
    properties = "is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>"
    operands = ["1x3x4x8xf32", "3x2x8x8xf32", "3x2x8x8xf32", "3xi32"]
    text = module("scaled_dot_product_attention_decode", properties, operands, ["1x3x4x8xf32"])
    (got,) = run(text, query, key, value, places)
    np.testing.assert_allclose(got, by_user(query, key, value, places + 1), atol=1e-5)


def test_decode_with_a_mask_a_sink_and_a_scale(rng):
    query, key, value = plain(rng, 1, 3, 4, 8), plain(rng, 3, 2, 8, 8), plain(rng, 3, 2, 8, 8)
    mask, sink = np.zeros((3, 1, 4, 8), np.float32), plain(rng, 4, 32)
    mask[..., 5:] = -1e9
    properties = "is_causal = false, scale = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>"
    operands = ["1x3x4x8xf32", "3x2x8x8xf32", "3x2x8x8xf32", "3x1x4x8xf32", "3xi32", "4x32xf32"]
    text = module("scaled_dot_product_attention_decode", properties, operands, ["1x3x4x8xf32"])
    (got,) = run(text, query, key, value, mask, np.zeros(3, np.int32), sink)
    np.testing.assert_allclose(got, by_user(query, key, value, [5] * 3, 0.5, sink[:, 0]), atol=1e-5)


@pytest.mark.parametrize("window", [None, 2])
def test_paged_decode_as_written(window: int | None, rng):
    cache, table, flat = pages(rng)
    query, places = plain(rng, 1, 3, 4, 8), np.array([0, 5, 7], np.int32)
    properties = "is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>"
    properties += "" if window is None else f", sliding_window_size = {window} : ui32"
    paged, rows = "6x2x4x8xf32", "1x3x4x8xf32"
    text = module(
        "paged_scaled_dot_product_attention_decode", properties, [rows, paged, paged, "3x2xi32", rows, "3xi32"], [rows]
    )
    (got,) = run(text, query, cache, cache, table, query, places)
    np.testing.assert_allclose(got, by_user(query, flat, flat, places + 1, window=window), atol=1e-5)


def test_the_output_of_a_destination_style_op_is_no_operand_of_the_rest(rng):
    """tt-mlir gives it an empty tensor, which is of the result's type and must stay where it is."""
    cache, table, flat = pages(rng)
    query, places = plain(rng, 1, 3, 4, 8), np.array([1, 2, 3], np.int32)
    q, kv = "tensor<1x3x4x8xf32>", "tensor<6x2x4x8xf32>"
    text = f"""func.func @f(%q: {q}, %k: {kv}, %t: tensor<3x2xi32>, %p: tensor<3xi32>) -> {q} {{
      %0 = ttir.empty() : {q}
      %1 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %k, %t, %0, %p)
        <{{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>}}>
        : ({q}, {kv}, {kv}, tensor<3x2xi32>, {q}, tensor<3xi32>) -> {q}
      return %1 : {q}
    }}"""
    (got,) = run(text, query, cache, table, places)
    np.testing.assert_allclose(got, by_user(query, flat, flat, places + 1), atol=1e-5)


def test_latent_attention_takes_values_from_the_keys(rng):
    cache, table, flat = pages(rng, heads=1)
    query, places = plain(rng, 1, 3, 4, 8), np.array([2, 0, 6], np.int32)
    properties = "head_dim_v = 5 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>"
    operands = ["1x3x4x8xf32", "6x1x4x8xf32", "3x2xi32", "3xi32"]
    text = module("paged_flash_multi_latent_attention_decode", properties, operands, ["1x3x4x5xf32"])
    (got,) = run(text, query, cache, table, places)
    np.testing.assert_allclose(got, by_user(query, flat, flat[..., :5], places + 1), atol=1e-5)


def test_a_chunk_of_a_prefill_as_written(rng):
    cache, table, flat = pages(rng)
    query = plain(rng, 3, 4, 4, 8)
    rows, paged = "3x4x4x8xf32", "6x2x4x8xf32"
    text = module("chunked_scaled_dot_product_attention", "", [rows, paged, paged, "3x2xi32", "1xi32", rows], [rows])
    (got,) = run(text, query, cache, cache, table, np.array([4], np.int32), query)
    for u in range(3):
        for h in range(4):
            for row in range(4):
                k = flat[u, h // 2, : 5 + row]
                wanted = softmax_attention(query[u, h, row : row + 1], k, k, DEPTH**-0.5)
                np.testing.assert_allclose(got[u, h, row], wanted[0], atol=1e-5)


def test_a_chunk_of_more_rows_than_its_heads_are_wide(rng):
    cache, table, flat = pages(rng, width=2)
    query = plain(rng, 3, 4, 5, 2)
    rows, paged = "3x4x5x2xf32", "6x2x4x2xf32"
    text = module("chunked_scaled_dot_product_attention", "", [rows, paged, paged, "3x2xi32", "1xi32", rows], [rows])
    (got,) = run(text, query, cache, cache, table, np.array([3], np.int32), query)
    k = flat[2, 1]
    np.testing.assert_allclose(got[2, 3, 4:], softmax_attention(query[2, 3, 4:], k, k, 2**-0.5), atol=1e-5)


def test_a_cache_is_written_and_then_attended_to(rng):
    """A step of decoding: the new row is seen by the attention after it."""
    q, kv, row = "tensor<1x2x4x8xf32>", "tensor<2x2x8x8xf32>", "tensor<2x2x1x8xf32>"
    text = f"""func.func @f(%q: {q}, %k: {kv}, %v: {kv}, %nk: {row}, %nv: {row}, %p: tensor<2xi32>) -> {q} {{
      "ttir.update_cache"(%k, %nk, %p) <{{batch_offset = 0 : i32}}> : ({kv}, {row}, tensor<2xi32>) -> ()
      "ttir.update_cache"(%v, %nv, %p) <{{batch_offset = 0 : i32}}> : ({kv}, {row}, tensor<2xi32>) -> ()
      %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %v, %p)
        <{{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}}>
        : ({q}, {kv}, {kv}, tensor<2xi32>) -> {q}
      return %0 : {q}
    }}"""
    query, key, value = plain(rng, 1, 2, 4, 8), plain(rng, 2, 2, 8, 8), plain(rng, 2, 2, 8, 8)
    new_key, new_value, places = plain(rng, 2, 2, 1, 8), plain(rng, 2, 2, 1, 8), np.array([3, 6], np.int32)
    program = ttstack.compile(text)
    arrays = (query, key, value, new_key, new_value, places)
    done = program.run({f"arg{i}": a for i, a in enumerate(arrays)})
    for u in range(2):
        key[u, :, places[u]], value[u, :, places[u]] = new_key[u, :, 0], new_value[u, :, 0]
    np.testing.assert_allclose(done.outputs["output"], by_user(query, key, value, places + 1), atol=1e-5)
    np.testing.assert_array_equal(done.updated["arg1"], key)
    np.testing.assert_array_equal(done.updated["arg2"], value)


DECODE = "scaled_dot_product_attention_decode"
PAGED = f"paged_{DECODE}"
LATENT = "paged_flash_multi_latent_attention_decode"
CHUNKED = "chunked_scaled_dot_product_attention"
Q, K = "1x3x4x8xf32", "3x2x8x8xf32"
PLAIN = "operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>"
NO_VALUE = "head_dim_v = 8 : ui32, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>"

REFUSED = [
    (DECODE, PLAIN, ["3x4x8xf32", K, K, "3xi32"], "3x4x8xf32", "query has rank 3, not 4"),
    (DECODE, PLAIN, ["2x3x4x8xf32", K, K, "3xi32"], Q, "has a first dimension of 2, not 1"),
    (DECODE, PLAIN, [Q, K, "2x8x8xf32", "3xi32"], Q, "value has rank 3, not 4"),
    (CHUNKED, "", [Q, "2x8x8xf32", K, "1x2xi32", "1xi32", Q], Q, "key has rank 3, not 4"),
    (CHUNKED, "", [Q, K, "2x8x8xf32", "1x2xi32", "1xi32", Q], Q, "value has rank 3, not 4"),
    (DECODE, PLAIN, [Q, "3x2x8x6xf32", K, "3xi32"], Q, "head width of query is 8, of key 6"),
    (DECODE, PLAIN, ["1x3x3x8xf32", K, K, "3xi32"], "1x3x3x8xf32", "3 query heads are not a multiple of 2 key heads"),
    (DECODE, PLAIN, [Q, K, "3x2x7x8xf32", "3xi32"], Q, "differ in batch, heads or length"),
    (DECODE, PLAIN, [Q, "2x2x8x8xf32", "2x2x8x8xf32", "3xi32"], Q, "query has 3 users, key 2"),
    (DECODE, PLAIN, [Q, K, K, "2xi32"], Q, "cur_pos_tensor has shape [2], expected [3]"),
    (DECODE, PLAIN, [Q, K, K, "3xf32"], Q, "cur_pos_tensor is f32, not an integer"),
    (
        *(DECODE, "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>", [Q, K, K, "3x1x4x8xf32", "3xi32"]),
        *(Q, "takes an attention_mask or is_causal, not both"),
    ),
    (
        *(DECODE, "is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>"),
        *([Q, K, K, "3x1x4x7xf32", "3xi32"], Q, "shapes [3, 1, 4, 8] and [3, 1, 4, 7] do not broadcast"),
    ),
    (
        *(DECODE, "operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>", [Q, K, K, "3xi32", "3x32xf32"]),
        *(Q, "attention_sink [3, 32] has no score for each of 4 heads"),
    ),
    (
        *(PAGED, "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>"),
        *([Q, "6x2x4x8xf32", "6x2x4x8xf32", "2x2xi32", Q, "3xi32"], Q, "page_table has 2 rows for 3 users"),
    ),
    (
        *(PAGED, "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>"),
        *([Q, "6x2x4x8xf32", "6x2x4x8xf32", "6xi32", Q, "3xi32"], Q, "page_table has rank 1, not 2"),
    ),
    (
        *(PAGED, "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 0>"),
        *([Q, "6x2x4x8xf32", "6x2x4x8xf32", "3x2xi32", "1x3x4x6xf32", "3xi32"], Q),
        "output is tensor<1x3x4x6xf32>, inferred tensor<1x3x4x8xf32>",
    ),
    (LATENT, NO_VALUE, [Q, "6x2x4x8xf32", "3x2xi32", "3xi32"], Q, "key has 2 heads, latent pages have 1"),
    (
        *(LATENT, NO_VALUE.replace("= 8", "= 9"), [Q, "6x1x4x8xf32", "3x2xi32", "3xi32"]),
        *("1x3x4x9xf32", "head_dim_v is 9, values have a width of 8"),
    ),
    (
        *(CHUNKED, "", ["12x8x8xf32", "6x2x4x8xf32", "6x2x4x8xf32", "3x2xi32", "1xi32", "12x8x8xf32"]),
        *("12x8x8xf32", "query has rank 3, not 4"),
    ),
    (
        *(CHUNKED, "", ["3x4x4x8xf32", "6x2x4x8xf32", "6x2x4x8xf32", "3x2xi32", "1x1xi32", "3x4x4x8xf32"]),
        *("3x4x4x8xf32", "chunk_start_idx has shape [1, 1], expected [1]"),
    ),
    (
        *(CHUNKED, "", ["3x4x9x8xf32", "6x2x4x8xf32", "6x2x4x8xf32", "3x2xi32", "1xi32", "3x4x9x8xf32"]),
        *("3x4x9x8xf32", "query has 9 rows, the pages of a user hold 8"),
    ),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "result", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], result: str, says: str):
    assert_refused(module(mnemonic, properties, operands, [result]), says)
