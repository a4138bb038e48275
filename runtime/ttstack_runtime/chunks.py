"""Elementwise work in pieces that stay in cache, those of large arrays on several threads.

NumPy lets go of the interpreter while it computes, so that threads share the work. They live no longer than a call:
a process without threads can be forked.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise

import numpy as np

from ttstack.support.operating_system import available_cores
from ttstack_runtime.kernels.table import Array

_CHUNK = 1 << 15
"""Elements: a few temporaries of a chunk stay in the L2 cache. Whole blocks of any format."""
_SHARE = 1 << 19
"""Elements that are worth a thread: it starts in 0.1 ms."""


def in_chunks(function: Callable[[Array], Array], x: Array) -> Array:
    """`function` over pieces of a float array, flattened; other types compute in float64."""
    values = x if x.dtype.char in "fd" else x.astype(np.float64)
    flat = np.ascontiguousarray(values).reshape(-1)
    out = np.empty_like(flat)

    def compute(begin: int, end: int) -> None:
        for start in range(begin, end, _CHUNK):
            piece = slice(start, min(start + _CHUNK, end))
            out[piece] = function(flat[piece])

    threads = min(thread_count(), flat.size // _SHARE)
    if threads < 2:
        compute(0, flat.size)
    else:
        chunks = -(-flat.size // _CHUNK)
        bounds = [min(chunks * i // threads * _CHUNK, flat.size) for i in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            # In the context of the caller, which says what becomes of overflows.
            parts = [pool.submit(copy_context().run, compute, *part) for part in pairwise(bounds)]
        for part in parts:
            part.result()
    return out.reshape(x.shape)


def thread_count() -> int:
    """As many as `OMP_NUM_THREADS` says, as for products, or as the process has processors."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(asked) if asked.isdigit() and int(asked) else available_cores()
