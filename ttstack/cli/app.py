"""The commands under one name."""

from typing import Annotated

import typer

from ttstack.cli.advise import advise_program
from ttstack.cli.check import check_program
from ttstack.cli.compare import compare_programs
from ttstack.cli.compile import compile_model
from ttstack.cli.emit import emit_program
from ttstack.cli.examples import write_example
from ttstack.cli.explain import explain_op
from ttstack.cli.explore import explore_model
from ttstack.cli.help import Command
from ttstack.cli.inspect import inspect_program
from ttstack.cli.opt import opt
from ttstack.cli.perf import perf
from ttstack.cli.reduce import reduce_file
from ttstack.cli.run import run_program
from ttstack.cli.system_desc import app as system_desc
from ttstack.version import VERSION

app = typer.Typer(
    name="ttstack",
    help="Compile models for Tenstorrent-class devices, and see what every op costs, without a device.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ttstack {VERSION}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[  # noqa: ARG001  (acted on by its callback)
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    plugins: Annotated[
        list[str] | None,
        typer.Option("--load", metavar="FILE|MODULE", help="Import a plug-in first: its passes, ops and conversions."),
    ] = None,
) -> None:
    if plugins:
        from ttstack.plugins import load_plugin

        for name in plugins:
            load_plugin(name)


app.command("compile", cls=Command)(compile_model)
app.command("inspect", cls=Command)(inspect_program)
app.command("explain", cls=Command)(explain_op)
app.command("run", cls=Command)(run_program)
app.command("perf", cls=Command)(perf)
app.command("advise", cls=Command)(advise_program)
app.command("compare", cls=Command)(compare_programs)
app.command("explore", cls=Command)(explore_model)
app.command("emit", cls=Command)(emit_program)
app.command("check", cls=Command)(check_program)
app.command("opt", cls=Command)(opt)
app.command("reduce", cls=Command)(reduce_file)
app.command("examples", cls=Command)(write_example)
app.add_typer(system_desc, name="system-desc")
