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
        from ttstack.support.plugins import load_plugin

        for name in plugins:
            load_plugin(name)


_COMMANDS = {
    "compile": compile_model,
    "inspect": inspect_program,
    "explain": explain_op,
    "run": run_program,
    "perf": perf,
    "advise": advise_program,
    "compare": compare_programs,
    "explore": explore_model,
    "emit": emit_program,
    "check": check_program,
    "opt": opt,
    "reduce": reduce_file,
    "examples": write_example,
}

for _name, _command in _COMMANDS.items():
    app.command(_name, cls=Command)(_command)
app.add_typer(system_desc, name="system-desc")
