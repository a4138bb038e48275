"""What is written of a compiled program for people and tools."""

from pathlib import Path
from typing import TYPE_CHECKING

from ttstack.questions import ProgramQuestions

if TYPE_CHECKING:
    from ttstack.report.groups import GroupKind

_KINDS, _WAYS = 24, 5
"""Kinds of ops that a page shows alternatives of, and alternatives of each."""


class ProgramExports(ProgramQuestions):
    """The part of a program that writes it as something else."""

    def to_python(self, function: str | None = None, *, trace: bool = False, two_queues: bool = False) -> str:
        """A function as Python that calls `ttnn` and runs on a card: one file, without the weights.

        With `trace` the commands of a pass are recorded once and replayed; with `two_queues` inputs are written
        through a queue of their own.

        Raises:
            UnsupportedOpError: ops have no call of `ttnn`, or cannot be recorded; all of them are listed.
        """
        from ttstack.ttnn_python import emit_python

        found = self.function(function)
        return emit_python(self.binary, found, found.name, trace=trace, two_queues=two_queues)

    def to_html(
        self,
        path: str | Path,
        function: str | None = None,
        *,
        samples: int | None = None,
        tokens: int | None = None,
        group_by: "GroupKind" = "module",
    ) -> None:
        """Write the page of `cost()`, with what ops that take the most time could have had instead.

        `samples` and `tokens` are those of one pass, as `Report.count_in_pass` takes them; ops are added up by
        `group_by` when the page is opened.

        Raises:
            InputError: one of them is less than 1.
            OutputError: the file cannot be written.
        """
        from ttstack.files import write_whole
        from ttstack.placement.explain import explain_longest
        from ttstack.report.html.page import report_page

        found, chip = self.function(function), self.binary.chip(self.function(function))
        report = self.cost(found.name).count_in_pass(samples=samples, tokens=tokens)
        alternatives = explain_longest(found, chip, self.binary.system_desc, kinds=_KINDS, most=_WAYS)
        write_whole(path, report_page(report, alternatives, group_by))

    def to_visualizer(self, path: str | Path, function: str | None = None) -> None:
        """Write a new folder with `memory` and `performance`, which ttnn-visualizer opens.

        Raises:
            OutputError: there is something of that name, or it cannot be written.
        """
        from ttstack.report.visualizer.folder import write_folder

        found = self.function(function)
        write_folder(path, found, self.cost(found.name), self.binary.system_desc)
