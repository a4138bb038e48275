"""Masks of dropout by an implementation that shares nothing with the product."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Words = np.ndarray[Any, np.dtype[np.uint32]]


def threefry(key: tuple[int, int], x: Words, y: Words) -> tuple[Words, Words]:
    """Threefry-2x32 of 20 rounds as its authors define it, four rounds between keys."""
    keys = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    x, y = x + np.uint32(keys[0]), y + np.uint32(keys[1])
    for four in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[four % 2]:
            x = x + y
            y = (y << np.uint32(turn) | y >> np.uint32(32 - turn)) ^ x
        x = x + np.uint32(keys[(four + 1) % 3])
        y = y + np.uint32((keys[(four + 2) % 3] + four + 1) % 2**32)
    return x, y


def dropout_mask(key: tuple[int, int], first_row: int, shape: Sequence[int], p: float) -> np.ndarray[Any, Any]:
    """What is kept: the words of a counter of columns and rows, two for each count, side by side."""
    *lead, width = shape
    count, half = math.prod(lead), -(-width // 2)
    columns = np.arange(half, dtype=np.uint32)[None].repeat(count, 0)
    rows = np.arange(first_row, first_row + count, dtype=np.uint32)[:, None].repeat(half, 1)
    words = np.concatenate(threefry(key, columns, rows), 1)[:, :width]
    return (words >> np.uint32(8) >= p * 2**24).reshape(tuple(shape))
