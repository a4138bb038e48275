"""`ttstack passes`: the passes and pipelines, and the description of one."""

import inspect
from typing import Annotated, Any

import typer

from ttstack.cli.console import stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import JsonOption


def _names() -> list[str]:
    from ttstack.cli.passes import all_passes

    return list(all_passes()["passes"])


def print_pass_help(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Pass to describe (default: list all).", show_default=False, autocompletion=_names
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List passes and pipelines, or describe a pass: what it does, where it runs, its options."""
    from ttstack.cli.passes import all_passes, print_passes
    from ttstack.passes.base import PASSES

    if name is None:
        if as_json:
            write_json(all_passes())
        else:
            print_passes(stdout())
        return
    known = all_passes()["passes"]
    if name not in known:
        from ttstack.cli.known_names import unknown_name

        raise unknown_name("pass", name, name, known, "ttstack passes")
    found: dict[str, Any] = {
        "name": name,
        "about": inspect.getdoc(PASSES[name]) or "",
        "optional": PASSES[name].optional,
        "options": known[name]["options"],
        "stages": [stage.title for stage in PASSES[name].stages],
        "before": dict(PASSES[name].before),
        "after": dict(PASSES[name].after),
    }
    if as_json:
        write_json(found)
    else:
        _describe(found)


def _describe(found: dict[str, Any]) -> None:
    from rich.table import Table

    write(found["name"])
    for paragraph in found["about"].split("\n\n"):
        write_sentence(" ".join(paragraph.split()))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("stages", ", ".join(found["stages"]) or "none: runs where you insert it")
    for side in ("before", "after"):
        for other, reason in found[side].items():
            table.add_row(f"runs {side}", f"{other}: {reason}")
    for option, default in found["options"].items():
        table.add_row("option", f"{option}={default}")
    if found["optional"]:
        table.add_row("leave out", f"ttstack compile --without {found['name']}")
    stdout().print(table)
