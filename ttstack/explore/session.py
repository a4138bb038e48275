"""An open session: the levels of a model, its program, and the programs after edits."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ttstack.api import load
from ttstack.diagnostics import InputError
from ttstack.explore.changes import change_overlays
from ttstack.explore.edits import edit
from ttstack.explore.levels import Progress, UnplacedModel, open_model, stage_graphs
from ttstack.options.model import CompileOptions
from ttstack.placement.overrides import Overrides
from ttstack.program.records import Binary, Function
from ttstack.report.build import Prices, build_report
from ttstack.report.graphs.model import ModelGraph, collection
from ttstack.report.graphs.overlays import Overlay, overlays
from ttstack.report.graphs.program_graph import program_graph
from ttstack.report.report import Report
from ttstack.support.files import new_folder, write_whole

LEVEL = "ttnn"
"""The level whose ops have a placement."""


@dataclass(frozen=True)
class Version:
    """A program and the edits that produced it."""

    number: int
    binary: Binary
    overrides: Overrides = field(default_factory=Overrides)
    what: str = "as compiled"
    """The last edit, as text."""
    prices: Prices = field(default_factory=Prices)
    """Cached prices of reports, shared with later versions."""

    def graph_id(self, function: Function) -> str:
        """Return the name of a function's graph."""
        name = f" {function.name}" if len(self.binary.functions) > 1 else ""
        return f"{LEVEL}{name}" + (f", edit {self.number}" if self.number else "")

    @cached_property
    def reports(self) -> Mapping[str, Report]:
        """Return the reports by function."""
        return {f.name: build_report(self.binary, f.name, self.prices) for f in self.binary.functions}

    @cached_property
    def graphs(self) -> tuple[ModelGraph, ...]:
        """Return the graphs, one per function."""
        return tuple(program_graph(f, self.reports[f.name], self.graph_id(f)) for f in self.binary.functions)

    def function(self, graph: str) -> Function | None:
        """Return the function with this graph, or None."""
        return next((f for f in self.binary.functions if self.graph_id(f) == graph), None)

    def overlays(self, function: Function) -> tuple[Overlay, ...]:
        """Return the overlays of a function's graph."""
        return overlays(self.reports[function.name])


@dataclass
class Session:
    """A model under its displayed name; not thread-safe."""

    name: str
    """The user's name for the model."""
    title: str
    """The short name."""
    versions: list[Version]
    levels: tuple[ModelGraph, ...] = ()
    """The levels before placement, in order."""
    model: UnplacedModel | None = None
    """The model for edits; None for a saved program."""
    save_overrides: Path | None = None
    """The file for the overrides of the last edit."""

    @property
    def path(self) -> str:
        """Its name in requests: an absolute path, as Model Explorer expects."""
        return f"/{self.title}.ttb"

    @property
    def graphs(self) -> tuple[ModelGraph, ...]:
        """The graphs of edits, last one first, of the program, and of the levels before it."""
        made = (graph for version in reversed(self.versions) for graph in version.graphs)
        return (*made, *reversed(self.levels))

    def find(self, graph: str) -> tuple[Version, Function]:
        """Return the program and function of a graph.

        Raises:
            InputError: the graph does not exist, or is of a level before placement.
        """
        for version in self.versions:
            if function := version.function(graph):
                return version, function
        known = [g.id for version in self.versions for g in version.graphs]
        if any(g.id == graph for g in self.graphs):
            raise InputError(
                f"ops of the graph '{graph}' have no placement yet", hint=f"choose the graph {' or '.join(known)}"
            )
        raise InputError(f"there is no graph '{graph}'", hint=f"there are {', '.join(g.id for g in self.graphs)}")

    def edit(self, graph: str, op: str, name: str, value: str, base: int | None = None) -> tuple[Overlay, ...]:
        """Compile with one more override, and return its effect on the ops of a graph.

        Earlier edits are kept: those of version `base`, by default of the last one.

        Raises:
            TTStackError: the edit is impossible, in the compiler's words; nothing has changed then.
        """
        shown, function = self.find(graph)
        return self.place(
            graph, edit(function, op, name, value), f"op {op.removeprefix('op ')} {name}={value}", shown, base
        )

    def place(
        self, graph: str, wanted: Overrides, what: str, shown: Version, base: int | None = None
    ) -> tuple[Overlay, ...]:
        """Compile with these overrides added to those of a version; raise `TTStackError` if impossible."""
        if self.model is None:
            raise InputError(
                f"'{self.name}' is a program, which holds no model to compile again",
                hint="open the model itself: ttstack explore MODEL",
            )
        overrides = self._version(base).overrides.extend(wanted)
        said = self.model.options.overrides or Overrides()
        options = self.model.options.model_copy(update={"overrides": said.extend(overrides)})
        made = Version(len(self.versions), self.model.place(options), overrides, what, shown.prices)
        if self.save_overrides is not None:
            write_whole(self.save_overrides, said.extend(overrides).text())
        self.versions.append(made)
        name = (shown.function(graph) or made.binary.functions[0]).name
        return change_overlays(f"edit {made.number}", what, shown.reports[name], made.reports[name])

    def _version(self, number: int | None) -> Version:
        if number is not None and not 0 <= number < len(self.versions):
            raise InputError(f"there is no edit {number}", hint=f"there are {len(self.versions) - 1}, from 1 on")
        return self.versions[-1 if number is None else number]

    def write(self, folder: Path) -> None:
        """Write the graphs and overlays into a new folder, as files for Model Explorer.

        Raises:
            OutputError: the folder exists, or cannot be written.
        """
        version, *_ = self.versions
        with new_folder(folder) as part:
            (part / "graphs.json").write_text(json.dumps(collection(self.title, self.graphs)), encoding="utf-8")
            for function in version.binary.functions:
                of_one = version.graph_id(function).removeprefix(LEVEL).strip()
                for overlay in version.overlays(function):
                    name = "-".join(filter(None, (of_one, overlay.stem)))
                    text = overlay.file_json(version.graph_id(function))
                    (part / f"{name}.json").write_text(text, encoding="utf-8")


@contextmanager
def open_session(
    source: str, title: str, inputs: Any, choices: Mapping[str, Any], progress: Progress | None = None
) -> Iterator[Session]:
    """Yield a session of a compiled model, or of a saved program.

    Raises:
        TTStackError: the model, the program or the options are invalid.
    """
    if source.endswith(".ttb"):
        if choices or inputs:
            raise InputError(f"'{source}' is compiled already", hint="give the model, to compile it with these options")
        binary = load(source).binary
        yield Session(source, title, [Version(0, binary)], stage_graphs(binary))
        return
    options = CompileOptions.of({**choices, "inputs": inputs})
    with open_model(source, inputs, options, progress) as model:
        if progress:
            progress("place")
        yield Session(source, title, [Version(0, model.place(options))], model.graphs, model)
