"""What commands that write files print as JSON."""

from typing import NotRequired

from typing_extensions import TypedDict

from ttstack.passes.effects import PassEffect
from ttstack.passes.pass_log import PassSummary
from ttstack.report.printed import FiguresJson


class FunctionFiguresJson(FiguresJson):
    """A report with the number of ops in place of them."""

    ops: int


class ProgramFileJson(TypedDict):
    """A program that was compiled."""

    file: str
    bytes: int
    phases: dict[str, float]
    """Seconds of each, by its name."""
    functions: dict[str, FunctionFiguresJson]
    """By name."""
    passes: list[PassSummary]
    """In the order in which they ran."""
    effects: NotRequired[list[PassEffect]]
    """With `--effects`."""


class PhaseFileJson(TypedDict):
    """The text of a module."""

    file: str
    phase: str
    phases: dict[str, float]
    """Seconds of each, by its name."""
    passes: list[PassSummary]
    """In the order in which they ran."""


class NativeFilesJson(TypedDict):
    """Code of the machine's processor."""

    files: dict[str, int]
    """Bytes of each."""
    phases: dict[str, float]
    """Seconds of each, by its name."""


class EmittedJson(TypedDict):
    """A program as Python."""

    file: str
    weights: str | None
    """The file of weights beside it; null where it needs none."""


class PassJson(TypedDict):
    """A pass."""

    options: dict[str, str]
    """Defaults by name; `<required>` where there is none."""
    about: str
    optional: bool
    """`ttstack compile --without NAME` leaves it out."""


class KnownPassesJson(TypedDict):
    """Passes and pipelines that `ttstack opt` runs."""

    passes: dict[str, PassJson]
    """By name."""
    pipelines: dict[str, list[str]]
    """Passes with their options, by the pipeline's name."""


class ReducedJson(TypedDict):
    """A smaller module."""

    file: str
    ops: int


class ExampleFileJson(TypedDict):
    """An example that was written."""

    file: str


class GraphsJson(TypedDict):
    """Graphs that were written."""

    file: str
    graphs: list[str]
    """Names of the levels."""


class ServedJson(TypedDict):
    """A model that is open; printed when the page can be opened, while the command goes on."""

    model: str
    address: str


class ModuleJson(TypedDict):
    """A module after passes."""

    file: str | None
    """With `-o`: where its text is."""
    module: str | None
    """Its text, without `-o`."""
    passes: dict[str, float]
    """Seconds of each by its name; with `--mlir-timing` those of all, as `passes`."""
