"""Progress on stderr, where that is a terminal."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ttstack.cli.console import stderr

PATIENCE = 1.0
"""Seconds after which a run counts as long."""


@contextmanager
def show_phases() -> Generator[Callable[[str, float], None] | None]:
    """What `compile` calls after each phase."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    with console.status("compiling") as status:
        yield lambda phase, seconds: status.update(f"compiling: {phase} took {1000 * seconds:.0f} ms")


@contextmanager
def show_ops() -> Generator[Callable[[int, int, str], None] | None]:
    """What `run` calls after each op: a bar, once the run has taken a while."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.description}")
    bar = Progress(text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task("running", total=None)
    start = time.monotonic()

    def show(done: int, total: int, name: str) -> None:
        if time.monotonic() - start > PATIENCE:
            bar.start()
            bar.update(task, completed=done, total=total, description=name)

    try:
        yield show
    finally:
        bar.stop()
