"""Caches of keys and values, and attention over them."""

import numpy as np
import pytest

USERS, HEADS, LENGTH, DEPTH, BLOCK = 3, 2, 8, 4, 4


@pytest.fixture
def pages(rng):
    """A paged cache with its page table, and the same contents user by user."""
    table = rng.permutation(USERS * LENGTH // BLOCK).reshape(USERS, -1).astype(np.int32)
    cache = rng.standard_normal((table.size, HEADS, BLOCK, DEPTH))
    plain = np.stack([np.concatenate(list(cache[row]), axis=1) for row in table])
    return cache, table, plain


def test_update_cache_at_one_position(run, rng):
    cache, rows = np.zeros((USERS, HEADS, LENGTH, DEPTH)), rng.standard_normal((USERS, HEADS, 1, DEPTH))
    assert run("update_cache", cache, rows, np.array([5], np.int32), batch_offset=0) == ()
    np.testing.assert_array_equal(cache[:, :, 5:6], rows)
    assert (np.delete(cache, 5, axis=2) == 0).all()


def test_update_cache_with_users_on_the_third_axis(run, rng):
    cache, rows = np.zeros((USERS, HEADS, LENGTH, DEPTH)), rng.standard_normal((1, HEADS, USERS, DEPTH))
    run("update_cache", cache, rows, np.array([1, 2, 3]), batch_offset=0)
    for user in range(USERS):
        np.testing.assert_array_equal(cache[user, :, user + 1], rows[0, :, user])


@pytest.mark.parametrize("name", ["update_cache", "fill_cache"])
def test_batch_offset(name, run, rng):
    cache, rows = np.zeros((USERS, HEADS, LENGTH, DEPTH)), rng.standard_normal((1, HEADS, 5, DEPTH))
    extra = (np.array([0]),) if name == "update_cache" else ()
    run(name, cache, rows, *extra, batch_offset=2)
    np.testing.assert_array_equal(cache[2, :, :5], rows[0])
    assert (cache[:2] == 0).all()


@pytest.mark.parametrize("paged", [False, True])
def test_paged_update_cache(paged, run, pages, rng):
    cache, table, plain = pages
    rows, at = rng.standard_normal((1, USERS, HEADS + 6, DEPTH)), np.array([0, -1, 6])
    before = plain.copy()
    run("paged_update_cache", cache if paged else plain, rows, at, table if paged else None)
    after = np.stack([np.concatenate(list(cache[row]), axis=1) for row in table]) if paged else plain
    before[0, :, 0], before[2, :, 6] = rows[0, 0, :HEADS], rows[0, 2, :HEADS]
    np.testing.assert_array_equal(after, before)


def test_paged_fill_cache(run, pages, rng):
    cache, table, plain = pages
    rows = rng.standard_normal((1, HEADS, 6, DEPTH))
    run("paged_fill_cache", cache, rows, table, np.array([1]))
    plain[1, :, :6] = rows[0]
    np.testing.assert_array_equal(np.stack([np.concatenate(list(cache[row]), axis=1) for row in table]), plain)


def one_by_one(run, query, cache, places, mask=None):
    """Decode attention as one plain attention a user over the keys up to its position."""
    return np.concatenate(
        [
            run(
                "scaled_dot_product_attention",
                query[0, user][None, :, None],
                cache[user : user + 1, :, : place + 1],
                cache[user : user + 1, :, : place + 1],
                None if mask is None else mask[user][None].swapaxes(1, 2)[..., : place + 1],
                is_causal=False,
            ).transpose(2, 0, 1, 3)
            for user, place in enumerate(places)
        ],
        axis=1,
    )


def test_decode(run, agree, pages, rng):
    cache, table, plain = pages
    query, places = rng.standard_normal((1, USERS, 4, DEPTH)), np.array([0, 3, 7])
    wanted = one_by_one(run, query, plain, places)
    agree(run("scaled_dot_product_attention_decode", query, plain, plain, None, places), wanted)
    paged = run("paged_scaled_dot_product_attention_decode", query, cache, cache, table, query, None, places)
    agree(paged, wanted)


def test_decode_with_a_mask_and_without_causality(run, agree, pages, rng):
    _, _, plain = pages
    query, mask = rng.standard_normal((1, USERS, 4, DEPTH)), rng.standard_normal((USERS, 1, 4, LENGTH))
    wanted = one_by_one(run, query, plain, [LENGTH - 1] * USERS, mask)
    agree(run("scaled_dot_product_attention_decode", query, plain, plain, mask, None, is_causal=False), wanted)


def test_a_user_at_a_negative_position_is_skipped(run, pages, rng):
    _, _, plain = pages
    query = rng.standard_normal((1, USERS, 4, DEPTH))
    out = run("scaled_dot_product_attention_decode", query, plain, plain, None, np.array([2, -1, 4]))
    assert (out[0, 1] == 0).all()
    assert (out[0, [0, 2]] != 0).any()


def test_decode_of_latent_pages_takes_values_from_the_keys(run, agree, pages, rng):
    cache, table, plain = pages
    query, places = rng.standard_normal((1, USERS, 4, DEPTH)), np.array([1, 5, 7])
    got = run("paged_flash_multi_latent_attention_decode", query, cache, None, table, None, places, head_dim_v=3)
    agree(got, one_by_one(run, query, plain, places)[..., :3])


def test_chunks_of_a_prefill_add_up_to_the_whole(run, agree, pages, rng):
    cache, table, plain = pages
    query = rng.standard_normal((USERS, 4, LENGTH, DEPTH))
    parts = [
        run(
            "chunked_scaled_dot_product_attention",
            query[:, :, at : at + 4],
            cache,
            cache,
            table,
            np.array([at]),
            None,
        )
        for at in (0, 4)
    ]
    agree(
        np.concatenate(parts, axis=2),
        run("scaled_dot_product_attention", query, plain, plain, is_causal=True),
    )
