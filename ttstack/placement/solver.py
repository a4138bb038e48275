"""The solver of integer programs, HiGHS: one thread, for equal answers to equal questions, and watched as it runs."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import highspy

_OPTIONS: Mapping[str, bool | int] = {"output_flag": False, "threads": 1, "random_seed": 0}

Watcher = Callable[[float], None]
"""Callback with the relative gap between the best solution and the bound; infinite if unknown."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("_WATCHER", default=None)


@contextmanager
def watch_solver(watcher: Watcher) -> Generator[None]:
    """Call `watcher` while integer programs are solved within."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def new_solver(options: Mapping[str, bool | int | float]) -> "highspy.Highs":
    """Return a solver without a model; it calls the current watcher, if any."""
    import highspy

    solver = highspy.Highs()
    for name, value in {**_OPTIONS, **options}.items():
        solver.setOptionValue(name, value)
    if (watcher := _WATCHER.get()) is not None:

        def tell(event: Any) -> None:
            watcher(event.data_out.mip_gap)

        solver.cbMipInterrupt += tell
    return solver


def run_solver(solver: "highspy.Highs") -> None:
    """Solve its model.

    The threads that HiGHS once had for others in the process stay, and it refuses to run with another number of them.

    Raises:
        RuntimeError: the solver refused the model, which is a fault of ours.
    """
    import highspy

    highspy.Highs.resetGlobalScheduler(True)
    if solver.run() == highspy.HighsStatus.kError:
        raise RuntimeError("the solver refused the integer program")
