"""How far the integer program is, told to whoever waits for it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import highspy

Watcher = Callable[[float], None]
"""Called with the share by which the best solution so far may lie above the optimum; infinite while none is known."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("_WATCHER", default=None)


@contextmanager
def watch_solver(watcher: Watcher) -> Generator[None]:
    """Call `watcher` while integer programs are solved within."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def tell_watcher(solver: "highspy.Highs") -> None:
    """Have a solver call the watcher, where there is one; what it finds is the same."""
    if (watcher := _WATCHER.get()) is not None:

        def tell(event: Any) -> None:
            watcher(event.data_out.mip_gap)

        solver.cbMipInterrupt += tell
