"""A lock for PyTorch work that is not thread-safe, with logs suppressed."""

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

from ttstack.support.fork_lock import ForkLock

_ONE_AT_A_TIME = ForkLock()
"""The lock: tracing, decomposing and deserializing patch torch's classes and use global variables."""


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other thread does such work.

    Logs are dropped, and so is standard error if the block fails, as the raised error repeats it.
    """
    with _ONE_AT_A_TIME:
        before = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        stderr = io.StringIO()
        try:
            with redirect_stderr(stderr):
                yield
            sys.stderr.write(stderr.getvalue())
        finally:
            logging.disable(before)
