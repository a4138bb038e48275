"""`ttstack perf --calibrate`: a device description fitted to a user's measurements."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ttstack.calibrate import Refitted, refit
from ttstack.cli.console import stdout, write, write_json
from ttstack.support.files import write_whole
from ttstack.system_desc import dump

if TYPE_CHECKING:
    from ttstack.compiled_program import Program


def fit_to_profile(
    program: "Program", function: str | None, profile: Path, target: Path | None, *, as_json: bool
) -> None:
    """Print the fitted changes, and write the description if requested."""
    found = refit(program.binary, program.function(function), profile)
    if target is not None:
        write_whole(target, dump(found.system))
    if as_json:
        write_json({"ops": found.ops, "missing": found.missing, "changes": [asdict(c) for c in found.changes]})
    else:
        _print(found)


def _print(found: Refitted) -> None:
    from rich.table import Table

    write(f"{found.ops} ops of the program are in the profile, {found.missing} are not")
    if not found.changes:
        write("no figure makes their predicted times better")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("figure", "was", "is", "from ops", "like", "mean error was", "is"):
        table.add_column(title, no_wrap=True)
    for c in found.changes:
        error = (f"{100 * e:.1f} %" for e in (c.error_before, c.error_after))
        table.add_row(c.path, c.before, c.after, str(c.ops), c.measured, *error)
    stdout().print(table)
