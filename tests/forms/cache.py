"""Writes into caches, in the older form that gives the cache."""

import numpy as np

from tests.forms.form import Form


def _written(cache, rows, at, axis=2):
    out = cache.copy()
    out[:, :, at : at + rows.shape[axis]] = rows
    return out


def _paged(cache, rows, table):
    out = cache.copy()
    for head, row in np.ndindex(cache.shape[1], rows.shape[2]):
        out[table[0, row // cache.shape[2]], head, row % cache.shape[2]] = rows[0, head, row]
    return out


def _updated(cache, rows, at, table):
    out = cache.copy()
    for user, place in enumerate(at):
        out[table[user, place // cache.shape[2]], :, place % cache.shape[2]] = rows[0, user, : cache.shape[1]]
    return out


FORMS = [
    Form(
        "fill_cache", "3x2x8x4xf32 3x2x5x4xf32", "3x2x8x4xf32", lambda c, x: _written(c, x, 0), "batch_offset = 0 : i32"
    ),
    Form(
        "update_cache",
        "3x2x8x4xf32 3x2x1x4xf32 1xi32",
        "3x2x8x4xf32",
        lambda c, x, at: _written(c, x, 5),
        "batch_offset = 0 : i32",
        given={2: 5},
    ),
    Form(
        "paged_fill_cache",
        "6x2x4x4xf32 1x2x7x4xf32 1x2xi32",
        "6x2x4x4xf32",
        _paged,
        "operandSegmentSizes = array<i32: 1, 1, 1, 0>",
        given={2: [[4, 1]]},
    ),
    Form(
        "paged_update_cache",
        "6x2x4x4xf32 1x3x2x4xf32 3xi32 3x2xi32",
        "6x2x4x4xf32",
        _updated,
        "operandSegmentSizes = array<i32: 1, 1, 1, 1>",
        given={2: [0, 5, 3], 3: [[2, 0], [1, 3], [5, 4]]},
    ),
]

INVALID = [
    ("fill_cache", "3x2x8x4xf32 3x2x9x4xf32", "3x2x8x4xf32", "batch_offset = 0 : i32", "has room for 8"),
    ("fill_cache", "3x2x8x4xf32 3x2x5x4xf32", "3x2x8x4xf32", "batch_offset = 1 : i32", "do not fit a cache of 3"),
    ("update_cache", "3x2x8x4xf32 3x2x1x4xf32 2xi32", "3x2x8x4xf32", "batch_offset = 0 : i32", "2 entries for 3 users"),
    ("update_cache", "3x2x8x4xf32 3x2x1x5xf32 1xi32", "3x2x8x4xf32", "batch_offset = 0 : i32", "head width"),
]
