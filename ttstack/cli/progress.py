"""Progress on stderr, if it is a terminal."""

import math
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from ttstack.cli.console import stderr

PATIENCE = 1.0
"""Seconds after which a run counts as long."""


@contextmanager
def show_phases(what: str = "compiling", *, quiet: bool = False) -> Generator[Callable[[str], None] | None]:
    """Yield the progress callback of `compile`: phase name, seconds since its start, and the integer program's gap.

    Yields None if `quiet`, because of other output.
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
    """Yield the progress callback of `run` for each op: a bar, for long runs."""
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


@contextmanager
def show_tasks(what: str, names: Sequence[str]) -> Generator[Callable[[], None]]:
    """Show how many of several tasks are done and the time left; yield a callback for each task.

    In a terminal it is a bar, otherwise a line at most every half minute.
    """
    console = stderr()
    if not console.is_terminal:
        yield _TaskLines(what, names, time.monotonic())
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn(f"{what} {{task.description}}")
    with Progress(
        text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task(next(iter(names), ""), total=len(names))
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            bar.update(task, completed=done, description=names[done] if done < len(names) else "")

        yield advance


QUIET_SECONDS = 30.0
"""Minimum seconds between two lines of progress if stderr is not a terminal."""


@dataclass
class _TaskLines:
    """Lines of progress for logs."""

    what: str
    names: Sequence[str]
    start: float
    done: int = 0
    written: float = 0.0

    def __call__(self) -> None:
        """Count a task, and write a line if the last one is old enough."""
        self.done += 1
        now = time.monotonic()
        if self.done < len(self.names) and now - max(self.written, self.start) >= QUIET_SECONDS:
            self.written = now
            left = (now - self.start) / self.done * (len(self.names) - self.done)
            stderr().print(f"{self.what}: {self.done} of {len(self.names)} done, {left:.0f} s left", soft_wrap=True)


@contextmanager
def show_reduction() -> Generator[Callable[[int, int], None]]:
    """Show remaining ops, tries and seconds per try; yield a callback with remaining ops and tries.

    The number of remaining tries is unknown. In a terminal it is one line, otherwise a line at most every half minute.
    """
    console, start, written = stderr(), time.monotonic(), time.monotonic()

    def say(ops: int, tries: int) -> str:
        return f"reducing: {ops:,} ops left, {tries:,} tries, {(time.monotonic() - start) / tries:.1f} s each"

    def write(ops: int, tries: int) -> None:
        nonlocal written
        if time.monotonic() - written >= QUIET_SECONDS:
            written = time.monotonic()
            console.print(say(ops, tries), soft_wrap=True)

    if not console.is_terminal:
        yield write
        return
    with console.status("reducing") as status:
        yield lambda ops, tries: status.update(say(ops, tries))


@dataclass
class Interrupted:
    """The signal that ended a block of `interrupts`; 0 for none."""

    signal: int = 0

    @property
    def exit_code(self) -> int:
        """The exit code of shells for a command that the signal ended."""
        return 128 + self.signal if self.signal else 0


@contextmanager
def interrupts() -> Generator[Interrupted]:
    """End the block at SIGINT or SIGTERM without an error, so that a command can write the results that it has."""
    found = Interrupted()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  (what `signal` calls)
        found.signal = number
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    except KeyboardInterrupt:
        found.signal = found.signal or signal.SIGINT
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
