"""Custom calls of Tenstorrent's JAX and PyTorch front ends: values against PyTorch and NumPy, from the definitions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import ttstack
from tests.frontends.call_text import call, ffi, results_of, words
from ttstack.diagnostics import UnsupportedOpError

Array = np.ndarray[Any, Any]
Spell = Callable[[Mapping[str, Any]], str]
RNG = np.random.default_rng(11)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def attention(
    q: Array, k: Array, v: Array, mask: Array, sink: Array | None = None, scale: float | None = None
) -> Array:
    """Softmax over keys, and over a score a head that has no value: [B, Hq, S, D] on [B, Hkv, T, D]."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1).astype(np.float64) for x in (k, v))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale) + mask
    if sink is not None:
        scores = np.concatenate([scores, np.broadcast_to(sink.reshape(1, -1, 1, 1), (*scores.shape[:3], 1))], -1)
    weights = torch.softmax(torch.from_numpy(scores), -1).numpy()
    return weights[..., : k.shape[2]] @ v


def causal(rows: int, keys: int, window: int | None = None) -> Array:
    past = np.arange(rows)[:, None] - np.arange(keys)
    return np.where((past >= 0) & (past < (window or keys)), 0, -np.inf)


def up_to(positions: Array, keys: int) -> Array:
    """What each user sees of a cache: [users, 1, 1, keys]."""
    return np.where(np.arange(keys) <= positions[:, None], 0, -np.inf)[:, None, None]


def check(text: str, inputs: list[Array], *wanted: Array) -> None:
    got = results_of(text, inputs)
    for g, w in zip(got, wanted, strict=True):
        if w.dtype.kind == "f":
            np.testing.assert_allclose(g, w, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(g, w)


SPELLED: dict[str, Spell] = {"words": words, "ffi": ffi}


@pytest.mark.parametrize("spell", SPELLED.values(), ids=SPELLED)
@pytest.mark.parametrize(("heads", "kv_heads", "rows", "keys"), [(6, 2, 7, 7), (3, 3, 5, 11), (4, 1, 33, 33)])
def test_prefill_is_causal_by_default(spell: Spell, heads: int, kv_heads: int, rows: int, keys: int):
    q, k, v = normal(2, heads, rows, 8), normal(2, kv_heads, keys, 8), normal(2, kv_heads, keys, 8)
    text = call("tt.scaled_dot_product_attention", [q, k, v], [q], spell({"scale": 0.25}))
    check(text, [q, k, v], attention(q, k, v, causal(rows, keys), scale=0.25))


def test_prefill_with_a_mask_a_sink_and_a_window():
    q, k, v, mask, sink = normal(1, 4, 9, 8), normal(1, 2, 9, 8), normal(1, 2, 9, 8), normal(1, 1, 9, 9), normal(4)
    said = {"is_causal": False, "has_attention_mask": True, "has_attention_sink": True}
    text = call("tt.scaled_dot_product_attention", [q, k, v, mask, sink], [q], words(said))
    check(text, [q, k, v, mask, sink], attention(q, k, v, mask, sink))
    text = call("tt.scaled_dot_product_attention", [q, k, v], [q], words({"sliding_window_size": 3}))
    check(text, [q, k, v], attention(q, k, v, causal(9, 9, 3)))
    said = {"is_causal": True, "has_attention_mask": False, "has_attention_sink": True}
    text = call("tt.scaled_dot_product_attention", [q, k, v, sink], [q], words(said))
    check(text, [q, k, v, sink], attention(q, k, v, causal(9, 9), sink))


def test_a_fourth_operand_that_nothing_is_said_of_is_a_mask():
    q, k, v, mask = normal(2, 3, 5, 4), normal(2, 3, 5, 4), normal(2, 3, 5, 4), normal(2, 1, 5, 5)
    text = call("tt.scaled_dot_product_attention", [q, k, v, mask], [q], words({"is_causal": False}))
    check(text, [q, k, v, mask], attention(q, k, v, mask))


def test_a_mask_of_truth_values_says_what_is_seen():
    q, k, v = normal(2, 3, 5, 4), normal(2, 3, 5, 4), normal(2, 3, 5, 4)
    mask = np.tri(5, dtype=bool)[None, None]
    text = call("tt.scaled_dot_product_attention", [q, k, v, mask], [q], words({"is_causal": False}))
    check(text, [q, k, v, mask], attention(q, k, v, causal(5, 5)))


def test_decode_sees_the_cache_up_to_each_position():
    q, k, v, at = normal(1, 3, 6, 8), normal(3, 2, 13, 8), normal(3, 2, 13, 8), np.array([0, 7, 12], np.int32)
    said = {"is_causal": True, "has_attention_mask": False, "has_attention_sink": False}
    text = call("tt.scaled_dot_product_attention_decode", [q, k, v, at], [q], words(said))
    wanted = attention(q.transpose(1, 2, 0, 3), k, v, up_to(at, 13)).transpose(2, 0, 1, 3)
    check(text, [q, k, v, at], wanted)


def test_decode_with_a_mask_and_a_sink():
    q, k, v, at = normal(1, 2, 4, 8), normal(2, 4, 6, 8), normal(2, 4, 6, 8), np.array([3, 5], np.int32)
    mask, sink = normal(2, 1, 4, 6), normal(4, 1)
    said = {"is_causal": False, "has_attention_mask": True, "has_attention_sink": True, "scale": 0.5}
    text = call("tt.scaled_dot_product_attention_decode", [q, k, v, at, mask, sink], [q], words(said))
    wanted = attention(q.transpose(1, 2, 0, 3), k, v, mask.swapaxes(1, 2), sink, 0.5).transpose(2, 0, 1, 3)
    check(text, [q, k, v, at, mask, sink], wanted)


def paged(cache: Array, table: Array) -> Array:
    """[users, heads, keys, depth] of pages [blocks, heads, block, depth]."""
    return np.stack([np.concatenate([cache[b] for b in row], axis=1) for row in table])


TABLE = np.array([[4, 0, 2], [1, 5, 3]], np.int32)


@pytest.mark.parametrize("spell", SPELLED.values(), ids=SPELLED)
def test_paged_decode(spell: Spell):
    q, k, v, at = normal(1, 2, 6, 8), normal(6, 2, 4, 8), normal(6, 2, 4, 8), np.array([9, 3], np.int32)
    said = {"is_causal": True, "has_attention_mask": False, "has_cur_pos_tensor": True, "has_attention_sink": False}
    name = "tt.paged_scaled_dot_product_attention_decode"
    text = call(name, [q, k, v, TABLE, at], [q], spell(said))
    keys, values = paged(k, TABLE), paged(v, TABLE)
    wanted = attention(q.transpose(1, 2, 0, 3), keys, values, up_to(at, 12)).transpose(2, 0, 1, 3)
    check(text, [q, k, v, TABLE, at], wanted)
    mask = normal(2, 1, 6, 12)
    said = {"is_causal": False, "has_attention_mask": True, "has_cur_pos_tensor": False, "has_attention_sink": False}
    text = call(name, [q, k, v, TABLE, mask], [q], spell(said))
    wanted = attention(q.transpose(1, 2, 0, 3), keys, values, mask.swapaxes(1, 2)).transpose(2, 0, 1, 3)
    check(text, [q, k, v, TABLE, mask], wanted)


@pytest.mark.parametrize("starts", [[3], [3, 7]])
def test_chunks_of_each_user_start_where_it_stands(starts: list[int]):
    q, k, v, at = normal(2, 4, 5, 8), normal(6, 2, 4, 8), normal(6, 2, 4, 8), np.array(starts, np.int32)
    text = call("tt.chunked_scaled_dot_product_attention", [q, k, v, TABLE, at], [q], ffi({"scale": 0.3}))
    places = np.broadcast_to(at, 2)[:, None] + np.arange(5)
    mask = np.where(np.arange(12) <= places[..., None], 0, -np.inf)[:, None]
    check(text, [q, k, v, TABLE, at], attention(q, paged(k, TABLE), paged(v, TABLE), mask, scale=0.3))


@pytest.mark.parametrize("name", ["tt.paged_flash_mla_decode", "tt.paged_flash_multi_latent_attention_decode"])
@pytest.mark.parametrize("apart", [False, True])
def test_latent_decode(name: str, apart: bool):
    q, k, v, at = normal(1, 2, 6, 8), normal(6, 1, 4, 8), normal(6, 1, 4, 8), np.array([9, 3], np.int32)
    said = {"has_value": apart, "has_attention_mask": False, "has_cur_pos_tensor": True, "has_attention_sink": False}
    inputs = [q, k, *([v] if apart else []), TABLE, at]
    out = np.zeros((1, 2, 6, 5), np.float32)
    text = call(name, inputs, [out], words({**said, "head_dim_v": 5, "is_causal": True}))
    values = paged(v if apart else k, TABLE)[..., :5]
    wanted = attention(q.transpose(1, 2, 0, 3), paged(k, TABLE), values, up_to(at, 12)).transpose(2, 0, 1, 3)
    check(text, inputs, wanted)


@pytest.mark.parametrize("apart", [False, True])
def test_latent_prefill(apart: bool):
    q, k, v, mask = normal(2, 4, 6, 8), normal(2, 1, 6, 8), normal(2, 1, 6, 5), normal(2, 1, 6, 6)
    out = np.zeros((2, 4, 6, 5), np.float32)
    inputs = [q, k, *([v] if apart else [])]
    text = call("tt.flash_mla_prefill", inputs, [out], words({"head_dim_v": 5, "has_value": apart}))
    values = v if apart else k[..., :5]
    check(text, inputs, attention(q, k, values, causal(6, 6)))
    said = {"head_dim_v": 5, "has_value": apart, "has_attention_mask": True, "is_causal": False, "scale": 0.2}
    text = call("tt.flash_mla_prefill", [*inputs, mask], [out], words(said))
    check(text, [*inputs, mask], attention(q, k, values, mask, scale=0.2))


def test_scores_of_an_indexer():
    q, k, w = normal(2, 3, 5, 8), normal(2, 1, 9, 8), normal(2, 3, 5, 1)
    out = np.zeros((2, 1, 5, 9), np.float32)
    text = call("tt.indexer_score_dsa", [q, k, w], [out], words({"chunk_start_idx": 2}))
    summed = (np.maximum(q @ k.swapaxes(2, 3), 0) * w).sum(1, keepdims=True)
    wanted = np.where(np.arange(9) <= 2 + np.arange(5)[:, None], summed, -np.inf)
    check(text, [q, k, w], wanted)


def test_plain_cache_writes():
    cache, row, at = normal(2, 3, 8, 4), normal(2, 3, 1, 4), np.array([5], np.int32)
    wanted = cache.copy()
    wanted[:, :, 5] = row[:, :, 0]
    text = call("tt.update_cache", [cache, row, at], [cache], words({"batch_offset": 0}))
    check(text, [cache, row, at], wanted)
    rows = normal(1, 3, 6, 4)
    wanted = cache.copy()
    wanted[1, :, :6] = rows[0]
    check(call("tt.fill_cache", [cache, rows], [cache], words({"batch_offset": 1})), [cache, rows], wanted)


def test_paged_cache_writes():
    cache, row, at = normal(6, 3, 4, 8), normal(1, 2, 5, 8), np.array([9, 3], np.int32)
    wanted = cache.copy()
    for user in range(2):
        wanted[TABLE[user, at[user] // 4], :, at[user] % 4] = row[0, user, :3]
    text = call("tt.paged_update_cache", [cache, row, at, TABLE], [cache], words({"share_cache": False}))
    check(text, [cache, row, at, TABLE], wanted)
    rows = normal(1, 3, 10, 8)
    for user in (0, 1):
        wanted = cache.copy()
        for position in range(10):
            wanted[TABLE[user, position // 4], :, position % 4] = rows[0, :, position]
        which = [np.array([user], np.int32)] if user else []
        check(call("tt.paged_fill_cache", [cache, rows, TABLE, *which], [cache]), [cache, rows, TABLE, *which], wanted)


def test_who_reads_the_old_cache_finds_it():
    """In StableHLO a value never changes: two caches of one constant are apart, and old values stay."""
    rows = normal(1, 2, 3, 4)
    t, small = "tensor<1x2x8x4xf32>", "tensor<1x2x3x4xf32>"
    options = '{mhlo.frontend_attributes = {batch_offset = "0"}}'
    body = f"""func.func @main(%old: {t}, %x: {small}) -> ({t}, {t}, {t}, {t}, {t}) {{
      %zeros = stablehlo.constant dense<0.0> : {t}
      %twice = stablehlo.add %x, %x : {small}
      %a = stablehlo.custom_call @tt.fill_cache(%zeros, %x) {options} : ({t}, {small}) -> {t}
      %b = stablehlo.custom_call @tt.fill_cache(%zeros, %twice) {options} : ({t}, {small}) -> {t}
      %c = stablehlo.custom_call @tt.fill_cache(%old, %x) {options} : ({t}, {small}) -> {t}
      %d = stablehlo.custom_call @tt.fill_cache(%c, %twice) {options} : ({t}, {small}) -> {t}
      return %a, %b, %old, %c, %d : {t}, {t}, {t}, {t}, {t}
    }}"""
    old = normal(1, 2, 8, 4)
    zeros = np.zeros_like(old)

    def filled(cache: Array, values: Array) -> Array:
        return np.concatenate([values, cache[:, :, 3:]], axis=2)

    check(
        body, [old, rows], filled(zeros, rows), filled(zeros, 2 * rows), old, filled(old, rows), filled(old, 2 * rows)
    )


def test_a_cache_that_nobody_else_reads_is_written_in_place():
    text = call("tt.fill_cache", [normal(1, 2, 64, 32), normal(1, 2, 3, 32)], [normal(1, 2, 64, 32)])
    names = [op.name for op in ttstack.compile(text).function().operations]
    assert "clone" not in names
    assert "fill_cache" in names


def test_sampling_takes_the_best_at_temperature_0():
    values = np.array([[0.1, 3.0, 2.0, -1.0], [5.0, 1.0, 4.0, 0.0]], np.float32)
    indices = np.array([[11, 12, 13, 14], [21, 22, 23, 24]], np.int32)
    k, p, temp = np.array([2, 3], np.int32), np.array([0.9, 0.9], np.float32), np.zeros(2, np.float32)
    inputs = [values, indices, k, p, temp]
    out = np.zeros(2, np.int32)
    check(call("tt.sampling", inputs, [out], words({"seed": 7})), inputs, np.array([12, 21], np.int32))


def test_sampling_draws_among_the_k_best():
    values, indices = normal(3, 16), np.tile(np.arange(100, 116, dtype=np.int32), (3, 1))
    k, p, temp = np.full(3, 4, np.int32), np.ones(3, np.float32), np.ones(3, np.float32)
    inputs = [values, indices, k, p, temp]
    (got,) = results_of(call("tt.sampling", inputs, [np.zeros(3, np.int32)], words({"seed": 7})), inputs)
    best = torch.topk(torch.from_numpy(values), 4).indices.numpy() + 100
    assert all(token in row for token, row in zip(got, best, strict=True))


def test_sparse_products():
    b = normal(1, 4, 6, 5)
    a, chosen = normal(2, 3, 7, 6), (RNG.random((2, 3, 1, 4)) < 0.5).astype(np.float32)
    wanted = np.einsum("abmk,ekn,abe->abemn", a, b[0], chosen[:, :, 0])[:, :, None]
    said = {"is_input_a_sparse": False, "is_input_b_sparse": True, "nnz": 0}
    check(call("tt.sparse_matmul", [a, b, chosen], [wanted.astype("f4")], words(said)), [a, b, chosen], wanted)
    a, chosen = normal(3, 4, 7, 6), (RNG.random((1, 1, 3, 4)) < 0.5).astype(np.float32)
    wanted = np.einsum("aemk,ekn,ae->aemn", a, b[0], chosen[0, 0])
    said = {"is_input_a_sparse": True, "is_input_b_sparse": False}
    check(call("tt.sparse_matmul", [a, b, chosen], [wanted.astype("f4")], words(said)), [a, b, chosen], wanted)


def test_experts_of_one_device():
    """Tokens go out and come back: dispatch, the weights of experts, and what experts made of each token."""
    x, chosen = normal(2, 1, 3, 8), np.array([[[[0, 3], [1, 2], [3, 2]]], [[[2, 0], [0, 1], [1, 3]]]], np.int64)
    mapping = np.ones((1, 1, 4, 1), np.int64)
    said = words({"num_devices": 1, "cluster_axis": 0})
    inputs = [x, chosen, mapping]
    out, metadata = x.reshape(1, 2, 3, 8), chosen.reshape(1, 2, 3, 2)
    check(call("tt.all_to_all_dispatch", inputs, [out, metadata], said), inputs, out, metadata)
    made = normal(4, 2, 3, 8)
    inputs = [made, metadata, mapping]
    wanted = np.stack([np.take_along_axis(made, metadata[..., j][..., None], 0)[0] for j in range(2)])
    said = words({"num_devices": 1, "cluster_axis": 0, "num_experts_per_tok": 2, "output_shard_dim": 2})
    check(call("tt.all_to_all_combine", inputs, [wanted], said), inputs, wanted)
    scores = np.abs(normal(1, 2, 3, 4))
    inputs = [scores, mapping, metadata]
    goes = np.zeros((6, 4), np.float32)
    np.put_along_axis(goes, metadata.reshape(6, 2), 1, 1)
    groups = np.stack([goes[:4].max(0), goes[4:].max(0)]).reshape(1, 1, 2, 4)
    said = words({"reduction_size": 4, "num_devices": 1})
    wanted = scores * goes.reshape(scores.shape)
    check(call("tt.moe_expert_token_remap", inputs, [scores, groups], said), inputs, wanted, groups)


def test_results_in_a_tuple():
    x, chosen, mapping = normal(1, 1, 2, 4), np.array([[[[0], [1]]]], np.int64), np.ones((1, 1, 2, 1), np.int64)
    types = "tensor<1x1x2x4xf32>, tensor<1x1x2x1xi64>, tensor<1x1x2x1xi64>"
    text = f"""func.func @main(%x: tensor<1x1x2x4xf32>, %i: tensor<1x1x2x1xi64>, %m: tensor<1x1x2x1xi64>) -> tensor<1x1x2x4xf32> {{
      %t = stablehlo.custom_call @tt.all_to_all_dispatch(%x, %i, %m) {{{words({"num_devices": 1})}}} : ({types}) -> tuple<tensor<1x1x2x4xf32>, tensor<1x1x2x1xi64>>
      %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<1x1x2x4xf32>, tensor<1x1x2x1xi64>>) -> tensor<1x1x2x4xf32>
      return %r : tensor<1x1x2x4xf32>
    }}"""
    check(text, [x, chosen, mapping], x)


@pytest.mark.parametrize("target", ["tt.mark_argument", "tt.sharding_constraint", "tt.weight_dtype_override"])
def test_annotations_change_nothing(target: str):
    x = normal(2, 3, 4)
    check(call(target, [x], [x], words({"ttcore.argument_type": "input"})), [x], x)


def test_marks_name_arguments_and_say_their_kind():
    text = """func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<2xf32>) -> tensor<3x2xf32> {
      %0 = stablehlo.reshape %arg1 : (tensor<4x2xf32>) -> tensor<1x4x2xf32>
      %1 = stablehlo.custom_call @tt.mark_argument(%0) {mhlo.frontend_attributes = {ttcore.argument_type = "parameter", ttir.name = "layer.weight"}} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x4x2xf32>) -> tensor<4x2xf32>
      %3 = stablehlo.dot_general %arg0, %2, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
      %4 = stablehlo.reshape %arg2 : (tensor<2xf32>) -> tensor<1x1x2xf32>
      %5 = stablehlo.custom_call @tt.mark_argument(%4) {mhlo.frontend_attributes = {ttcore.argument_type = "input", ttir.name = "shift"}} : (tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x1x2xf32>) -> tensor<2xf32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
      %8 = stablehlo.add %3, %7 : tensor<3x2xf32>
      return %8 : tensor<3x2xf32>
    }"""
    program = ttstack.compile(text)
    assert list(program.inputs()) == ["arg0", "shift"]
    x, weight, shift = normal(3, 4), normal(4, 2), normal(2)
    (got,) = program.run({"arg0": x, "shift": shift, "layer.weight": weight}).outputs.values()
    np.testing.assert_allclose(got, x @ weight + shift, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        ("tt.fill_cache", {"batch_offset": "first"}, "attribute 'batch_offset' is 'first', expected integer i32"),
        ("tt.fill_cache", {"batch_offset": 1}, "1 users from batch_offset 1 on do not fit a cache of 1 users"),
        ("tt.fill_cache", {"batch_offset": 2**40}, "attribute 'batch_offset' is '1099511627776', expected integer i32"),
        ("tt.update_cache", {}, "has 2 operands, expected cache, input, update_index"),
        ("tt.flash_mla_prefill", {}, "has no head_dim_v"),
    ],
)
def test_what_a_call_says_wrong_is_named(target: str, options: Mapping[str, Any], message: str):
    cache, rows = normal(1, 2, 8, 4), normal(1, 2, 3, 4)
    with pytest.raises(UnsupportedOpError, match=f"`@{target}`:? {message}"):
        ttstack.compile(call(target, [cache, rows], [cache], words(options)))


def test_a_window_of_keys_is_not_dropped():
    q, k, at = normal(1, 1, 2, 4), normal(1, 2, 8, 4), np.array([3], np.int32)
    said = words({"sliding_window_size": 2, "has_attention_mask": False, "has_attention_sink": False})
    scores = np.einsum("abhd,bhsd->abhs", q, k[:, :, 2:4]) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    wanted = np.einsum("abhs,bhsd->abhd", weights, k[:, :, 2:4])
    check(call("tt.scaled_dot_product_attention_decode", [q, k, k, at], [q], said), [q, k, k, at], wanted)


def test_gelu_is_torchs():
    x = normal(5, 7)
    check(call("tenstorrent.gelu", [x], [x]), [x], functional.gelu(torch.from_numpy(x)).numpy())
