"""Parts of a file in `ttstack opt`: each is processed, whatever happened to those before it."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ttstack.cli.expected_diagnostics import (
    Reported,
    diagnostic_mismatches,
    expected_diagnostics,
    reported_diagnostics,
)
from ttstack.cli.split_input import SEPARATOR, split_input
from ttstack.cli.streams import say
from ttstack.diagnostics import InvalidIRError, SourceError, TTStackError, TTStackWarning

Process = Callable[[str], tuple[str, Mapping[str, float]]]
"""Reads a part and runs passes on it; returns its text, and the seconds of each pass."""


@dataclass
class ProcessedParts:
    """The results of all parts of a file."""

    texts: list[str] = field(default_factory=list[str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    failed: bool = False
    """True if a part has an error that no comment expects."""

    def add(self, text: str, seconds: Mapping[str, float]) -> None:
        """Add a part without an error."""
        self.texts.append(text)
        for step, taken in seconds.items():
            self.seconds[step] = self.seconds.get(step, 0.0) + taken

    @property
    def text(self) -> str:
        """The parts that have no error, with the separator between them."""
        return f"{SEPARATOR}\n".join(self.texts)


def read_parts(file: str) -> str:
    """Return the text of a file whose parts are processed.

    Raises:
        SourceError: it is not text.
    """
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise SourceError(f"cannot read '{file}' as text", hint="give a module as text (.mlir)") from e


def process_parts(text: str, name: str, process: Process, *, split: bool, verify: bool) -> ProcessedParts:
    """Process each part; without `verify`, errors go to standard error.

    Raises:
        InvalidIRError: with `verify`, a diagnostic is not expected, or an expected one is not reported; all of them.
    """
    found, wrong = ProcessedParts(), list[str]()
    for part in split_input(text) if split else [text]:
        reported: list[Reported] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                printed, seconds = process(part)
                found.add(printed, seconds)
            except TTStackError as error:
                if not verify:
                    found.failed = True
                    say(str(error))
                reported += reported_diagnostics(error)
        if verify:
            ours = [w.message for w in caught if issubclass(w.category, TTStackWarning)]
            reported += [Reported("warning", None, str(message)) for message in ours]
            wrong += diagnostic_mismatches(expected_diagnostics(part), reported)
        else:
            for w in caught:
                warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
    if wrong:
        raise InvalidIRError(f"the diagnostics of '{name}' are not the expected ones", notes=tuple(wrong))
    return found
