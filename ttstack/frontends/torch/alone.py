"""Work of torch's that one thread does at a time, in silence."""

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

from ttstack.support.fork_lock import ForkLock

_ONE_AT_A_TIME = ForkLock()
"""Tracing, decomposing and deserializing patch torch's classes, and keep what they work on in global variables."""


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other thread does such work.

    Logs are dropped, and what goes to standard error where the block fails: the error that we raise repeats it.
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
