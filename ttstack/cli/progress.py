"""Progress on stderr, where that is a terminal."""

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from ttstack.cli.console import stderr

PATIENCE = 1.0
"""Seconds after which a run counts as long."""


@contextmanager
def show_phases(what: str = "compiling", *, quiet: bool = False) -> Generator[Callable[[str], None] | None]:
    """What `compile` calls as each phase begins: its name, the seconds since, and the gap of the integer program.

    Nothing where it shall be `quiet`, because other things are printed meanwhile.
    """
    console = stderr()
    if quiet or not console.is_terminal:
        yield None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from ttstack.placement.solver import watch_solver

    text = TextColumn(f"{what}: {{task.description}}")
    with Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task("read", total=None)

        def begin(phase: str) -> None:
            bar.reset(task, description=phase)

        def solve(gap: float) -> None:
            if math.isfinite(gap):
                bar.update(task, description=f"place, at most {100 * gap:.1f} % above the optimum")

        with watch_solver(solve):
            yield begin


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
