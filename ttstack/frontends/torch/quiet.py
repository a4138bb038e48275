"""What torch says beside raising an error, which the error that we raise repeats."""

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr


@contextmanager
def quiet() -> Iterator[None]:
    """Drop logs, and what goes to standard error where the block fails; warnings stay."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    stderr = io.StringIO()
    try:
        with redirect_stderr(stderr):
            yield
        sys.stderr.write(stderr.getvalue())
    finally:
        logging.disable(before)
