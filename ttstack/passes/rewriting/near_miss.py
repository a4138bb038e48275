"""The condition of a rewrite that an op did not fulfil: the line of its code at which it gave up."""

import linecache
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
_ENDS = ("return None", "return", "continue")
_LOOPS = ("for ", "while ")


def trace_condition(function: Callable[..., Any], call: Callable[[], T]) -> tuple[T, str]:
    """Call something that runs a rewrite's function, and return its last condition, `file:line: source`.

    Functions of the same file count as parts of it. A line that only returns, or a loop that ends, stands for the
    condition before it. The condition is empty if the function did not run.
    """
    code = getattr(function, "__code__", None)
    file, lines = code.co_filename if code else "", list[tuple[int, int]]()

    def local(frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            lines.append((id(frame), frame.f_lineno))
        return local

    def enter(frame: FrameType, _event: str, _argument: object) -> Any:
        return local if frame.f_code.co_filename == file else None

    outer = sys.gettrace()
    sys.settrace(enter)
    try:
        result = call()
    finally:
        sys.settrace(outer)
    return result, _condition(file, lines)


def _condition(file: str, lines: Sequence[tuple[int, int]]) -> str:
    """The last condition in the call that ended last."""
    last = lines[-1][0] if lines else None
    for call, line in reversed(lines):
        text = linecache.getline(file, line).strip()
        if call == last and text and text not in _ENDS and not text.startswith(_LOOPS):
            return f"{Path(file).name}:{line}: {text.rstrip(':')}"
    return ""
