"""What is open: the levels of one model, its program, and the programs that edits made of it."""

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
    """A program, and the edits that made it."""

    number: int
    binary: Binary
    overrides: Overrides = field(default_factory=Overrides)
    what: str = "as compiled"
    """The last edit, in words."""
    prices: Prices = field(default_factory=Prices)
    """What reports found out, which those of versions to come need not ask again."""

    def graph_id(self, function: Function) -> str:
        """What the graph of a function is called."""
        name = f" {function.name}" if len(self.binary.functions) > 1 else ""
        return f"{LEVEL}{name}" + (f", edit {self.number}" if self.number else "")

    @cached_property
    def reports(self) -> Mapping[str, Report]:
        """By function."""
        return {f.name: build_report(self.binary, f.name, self.prices) for f in self.binary.functions}

    @cached_property
    def graphs(self) -> tuple[ModelGraph, ...]:
        """One for each function."""
        return tuple(program_graph(f, self.reports[f.name], self.graph_id(f)) for f in self.binary.functions)

    def function(self, graph: str) -> Function | None:
        """The one whose graph has that name."""
        return next((f for f in self.binary.functions if self.graph_id(f) == graph), None)

    def overlays(self, function: Function) -> tuple[Overlay, ...]:
        """What colours the graph of a function."""
        return overlays(self.reports[function.name])


@dataclass
class Session:
    """One model, by the name that it is shown under; not safe for several threads."""

    name: str
    """What the user named."""
    title: str
    """What it is called for short."""
    versions: list[Version]
    levels: tuple[ModelGraph, ...] = ()
    """Before placement, in order."""
    model: UnplacedModel | None = None
    """What edits are compiled from; None of a program that was saved."""
    save_overrides: Path | None = None
    """Where the overrides of the last edit are written."""

    @property
    def path(self) -> str:
        """What requests call it: an absolute path, as Model Explorer has those of all models."""
        return f"/{self.title}.ttb"

    @property
    def graphs(self) -> tuple[ModelGraph, ...]:
        """What edits made, the last one first, the program, and the levels before it."""
        made = (graph for version in reversed(self.versions) for graph in version.graphs)
        return (*made, *reversed(self.levels))

    def find(self, graph: str) -> tuple[Version, Function]:
        """The program and function whose graph has that name.

        Raises:
            InputError: there is no such graph, or it is of a level before placement.
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
        """Compile with one more override, and say what that changed for the ops of a graph.

        Earlier edits stay: those of the version `base`, of the last one where None.

        Raises:
            TTStackError: the edit cannot be, in the compiler's words; nothing has changed then.
        """
        shown, function = self.find(graph)
        return self.place(
            graph, edit(function, op, name, value), f"op {op.removeprefix('op ')} {name}={value}", shown, base
        )

    def place(
        self, graph: str, wanted: Overrides, what: str, shown: Version, base: int | None = None
    ) -> tuple[Overlay, ...]:
        """Compile with these overrides added to those of a version; raises `TTStackError` where they cannot be."""
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
        """Write the graphs and what colours them into a new folder, as files that Model Explorer opens.

        Raises:
            OutputError: the folder is there already, or cannot be written.
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
    """A model, compiled, or a program that was saved.

    Raises:
        TTStackError: whatever is wrong with the model, the program or the choices.
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
