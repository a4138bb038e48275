"""One test of many cases, for checks that take less time than pytest takes to collect, schedule and report them."""

from collections.abc import Callable, Iterable
from functools import partial
from inspect import signature
from typing import Any

import pytest

APART = False
"""Whether each case is a test of its own, which `-k` finds by its text: `--apart` sets it."""
FIRST = False
"""Whether a test ends with its first fault: `-x` sets it."""
_SHOWN = 5
"""Faults that are reported with their tracebacks; the others by name."""

Test = Callable[..., None]


def for_every(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Return a decorator that runs a test on all cases and then reports all that fail, as one test.

    `names` are those of the parameters that get a case, separated by ", "; other parameters stay fixtures or parameters,
    and all cases share their values.
    """
    parameters = names.split(", ")
    rows = [(case,) if len(parameters) == 1 else tuple(case) for case in cases]
    if APART:
        return pytest.mark.parametrize(parameters, rows, ids=list(map(_label, rows)))
    return partial(_together, parameters, rows)


def _together(names: list[str], rows: list[tuple[Any, ...]], test: Test) -> Test:
    def run(**rest: Any) -> None:
        assert rows, "there is not one case"
        faults: dict[str, Exception] = {}
        for row in rows:
            _draw_as_alone(test, row)
            if (fault := _fault(test, dict(zip(names, row, strict=True)) | rest)) is not None:
                fault.add_note(f"in the case {_label(row)}")
                faults[_label(row)] = fault
                if FIRST:
                    break
        if faults:
            title = f"{len(faults)} of {len(rows)} cases fail: {', '.join(faults)}"
            raise ExceptionGroup(title, [*faults.values()][:_SHOWN])

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(run, name, getattr(test, name))
    vars(run)["pytestmark"] = getattr(test, "pytestmark", [])
    of = signature(test)
    vars(run)["__signature__"] = of.replace(parameters=[p for p in of.parameters.values() if p.name not in names])
    return run


def _draw_as_alone(test: Test, row: tuple[Any, ...]) -> None:
    """Let Hypothesis draw other examples for each case, those that it draws where each is a test of its own."""
    if (handle := getattr(test, "hypothesis", None)) is not None:
        name = f"{test.__module__.replace('.', '/')}.py::{test.__name__}[{_label(row)}]"
        handle.inner_test._hypothesis_internal_add_digest = name.encode()  # as its own plugin of pytest does


def _label(row: tuple[Any, ...]) -> str:
    return "-".join(map(str, row))


def _fault(test: Test, values: dict[str, Any]) -> Exception | None:
    try:
        test(**values)
    except (pytest.fail.Exception, pytest.skip.Exception) as e:  # no `Exception`; a skipped case would hide the others
        return AssertionError(f"{type(e).__name__}: {e}").with_traceback(e.__traceback__)
    except Exception as e:
        return e
    return None
