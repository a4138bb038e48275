"""JSON output of commands that write files."""

from typing import NotRequired

from typing_extensions import TypedDict

from ttstack.debugging.bisect_time import LongerPlace
from ttstack.passes.effects import PassEffect
from ttstack.passes.instrumented import CheckedPass
from ttstack.passes.pass_log import PassSummary
from ttstack.passes.rewrite_log import Attempt
from ttstack.report.printed import FiguresJson


class FunctionFiguresJson(FiguresJson):
    """A report with the number of ops instead of the ops."""

    ops: int


class ProgramFileJson(TypedDict):
    """A compiled program."""

    file: str
    bytes: int
    weights_file: str | None
    """The file of weights next to the program; null if the program contains them."""
    weights_file_bytes: int
    phases: dict[str, float]
    """Seconds of each phase, by name."""
    functions: dict[str, FunctionFiguresJson]
    """By name."""
    passes: list[PassSummary]
    """In execution order."""
    effects: NotRequired[list[PassEffect]]
    """With `--effects`."""
    checked: NotRequired[list[CheckedPass]]
    """With `--check-values`."""
    rewrites: NotRequired[list[Attempt]]
    """With `--explain-rewrites`."""


class PhaseFileJson(TypedDict):
    """The text of a module."""

    file: str
    phase: str
    phases: dict[str, float]
    """Seconds of each phase, by name."""
    passes: list[PassSummary]
    """In execution order."""
    checked: NotRequired[list[CheckedPass]]
    """With `--check-values`."""
    rewrites: NotRequired[list[Attempt]]
    """With `--explain-rewrites`."""


class NativeFilesJson(TypedDict):
    """CPU code."""

    files: dict[str, int]
    """Bytes of each file."""
    phases: dict[str, float]
    """Seconds of each phase, by name."""


class EmittedJson(TypedDict):
    """A program as Python."""

    file: str
    weights: str | None
    """The file of weights next to it; null without weights."""


class PassJson(TypedDict):
    """A pass."""

    options: dict[str, str]
    """Defaults by name; `<required>` if there is none."""
    about: str
    optional: bool
    """Whether `ttstack compile --without NAME` skips it."""


class KnownPassesJson(TypedDict):
    """Passes and pipelines that `ttstack opt` runs."""

    passes: dict[str, PassJson]
    """By name."""
    pipelines: dict[str, list[str]]
    """Passes with their options, by the pipeline's name."""


class CulpritJson(TypedDict):
    """The first pass and rewrite that change values."""

    found: bool
    """False if no pass changes values: the other fields are absent then."""
    step: NotRequired[str]
    """The pass, with its options."""
    application: NotRequired[int | None]
    """Number of the rewrite's application; null of a pass without numbered ones."""
    rewrite: NotRequired[str | None]
    op: NotRequired[str | None]
    location: NotRequired[str | None]
    difference: NotRequired[str]
    file: NotRequired[str]
    """The smallest module."""
    ops: NotRequired[int | None]
    """Ops of the module; null if it was not reduced."""
    command: NotRequired[str]
    """Fails alike on the module."""


class SlowerJson(TypedDict):
    """Why a program is slower than the one of `--against`."""

    found: bool
    """Whether it is slower by 1 % or more."""
    before_ns: float
    now_ns: float
    step: str | None
    """The pass without which it is faster."""
    without_ns: float | None
    """Predicted time without the pass; null if no single pass makes the program slower."""
    rewrite: Attempt | None
    """The application that makes it slower."""
    declined: list[Attempt]
    """Rewrites that were declined at ops that take longer now, if no pass was found."""
    longer: list[LongerPlace]
    """Places in the source that take longer, if no pass was found."""


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
    """An open model; printed as soon as the page is available."""

    model: str
    address: str


class ModuleJson(TypedDict):
    """A module after passes."""

    file: str | None
    """With `-o`: the path of its text."""
    module: str | None
    """Its text, without `-o`."""
    passes: dict[str, float]
    """Seconds of each pass by name; with `--mlir-timing` of all, as `passes`."""
    checked: NotRequired[list[CheckedPass]]
    """With `--check-values`."""
    rewrites: NotRequired[list[Attempt]]
    """With `--explain-rewrites`."""
