"""A lock that is free in a forked child, even if a thread of the parent holds it."""

import os
import threading
from types import TracebackType


class ForkLock:
    """A reentrant lock for a `with` block; a child process starts with a new lock.

    The thread that holds the parent's lock does not exist in the child, so nobody would release it there.
    """

    def __init__(self) -> None:
        self._renew()
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
