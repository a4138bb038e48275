"""`ttstack explore`: every level of a model as graphs in Model Explorer, with an editable placement."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from ttstack.cli.compile_options import with_choices
from ttstack.cli.console import write, write_json
from ttstack.cli.shared_options import JsonOption, ShapesOption
from ttstack.options.choices import CHOICES, Choices

if TYPE_CHECKING:
    from ttstack.explore.server import ExploreServer
    from ttstack.explore.session import Session


@partial(with_choices, described=False)
def explore_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model file, package.module:factory of PyTorch, or a .ttb program, which cannot be edited.",
            show_default=False,
        ),
    ],
    inputs: ShapesOption = None,
    graphs: Annotated[
        Path | None,
        typer.Option(
            "--graphs",
            metavar="DIR",
            help="Write the graphs into a new folder, for another Model Explorer, and exit.",
            rich_help_panel="Files to write",
            show_default=False,
        ),
    ] = None,
    save_overrides: Annotated[
        Path | None,
        typer.Option(
            "--save-overrides",
            metavar="FILE",
            help="Write the edits for `ttstack compile --overrides`.",
            rich_help_panel="Files to write",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            metavar="PORT",
            help="Port of the page; 0 is any free port.",
            rich_help_panel="Page",
        ),
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.", rich_help_panel="Page")
    ] = True,
    as_json: JsonOption = False,
    **choices: Unpack[Choices],
) -> None:
    """Show the graph of a model at every level, edit its placement, and see what changes."""
    from ttstack.cli.compile import program_stem, read_shapes
    from ttstack.cli.outputs import check_new_folder, check_targets
    from ttstack.cli.progress import show_phases
    from ttstack.explore.session import open_session

    if graphs is not None:
        check_new_folder(graphs)
    check_targets(save_overrides, sources=(model,))
    if save_overrides and (graphs or model.endswith(".ttb")):
        raise typer.BadParameter("--save-overrides writes edits, which neither a program nor --graphs has")
    shapes = read_shapes(inputs) if inputs else None
    made = {name: value for name, value in choices.items() if value != CHOICES[name].default}
    with ExitStack() as opened:
        server = None if graphs else opened.enter_context(_listen(port))
        with show_phases() as progress:
            session = opened.enter_context(open_session(model, program_stem(model), shapes, made, progress))
        session.save_overrides = save_overrides
        if server:
            _serve(server, session, browser=browser, as_json=as_json)
        elif graphs:
            session.write(graphs)
            file, names = str(graphs / "graphs.json"), [graph.id for graph in session.graphs]
            _say(f"{file}: {', '.join(names)}", {"file": file, "graphs": names}, as_json=as_json)


def _listen(port: int) -> "ExploreServer":
    from ttstack.explore.server import ExploreServer

    return ExploreServer(port)


def _serve(server: "ExploreServer", session: "Session", *, browser: bool, as_json: bool) -> None:
    """Serve until the user interrupts."""
    server.open(session)
    said = f"{session.name}: {server.address}\nPress Ctrl+C to stop."
    _say(said, {"model": session.name, "address": server.address}, as_json=as_json)
    sys.stdout.flush()
    if browser:
        import webbrowser

        webbrowser.open(server.address)
    with suppress(KeyboardInterrupt):
        server.serve_forever()


def _say(text: str, values: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(values)
    else:
        write(text)
