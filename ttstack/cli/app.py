"""The commands of `ttstack`."""

from typing import Annotated

import typer

from ttstack.cli.advise import advise_program
from ttstack.cli.bisect import bisect_model
from ttstack.cli.check import check_program
from ttstack.cli.compare import compare_programs
from ttstack.cli.compile import compile_model
from ttstack.cli.emit import emit_program
from ttstack.cli.environment import print_environment
from ttstack.cli.examples import write_example
from ttstack.cli.explain import explain_op
from ttstack.cli.explore import explore_model
from ttstack.cli.filecheck import run_filecheck
from ttstack.cli.help import Command, CommandGroup
from ttstack.cli.inspect import inspect_program
from ttstack.cli.ops import print_ops
from ttstack.cli.opt import opt
from ttstack.cli.pass_help import print_pass_help
from ttstack.cli.perf import perf
from ttstack.cli.reduce import reduce_file
from ttstack.cli.run import run_program
from ttstack.cli.system_desc import app as system_desc
from ttstack.cli.verbose import VerboseOption, with_verbose
from ttstack.version import VERSION

app = typer.Typer(
    name="ttstack",
    cls=CommandGroup,
    help="Compile models for Tenstorrent-class devices, and predict the time of each op, without a device.",
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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    plugins: Annotated[
        list[str] | None,
        typer.Option("--load", metavar="FILE|MODULE", help="Import a plug-in with passes, ops or conversions."),
    ] = None,
    verbose: VerboseOption = 0,  # noqa: ARG001  (acted on by its callback)
) -> None:
    if plugins:
        from ttstack.support.plugins import load_plugin

        for name in plugins:
            load_plugin(name)


_COMMANDS = {
    "Compile and run": {"compile": compile_model, "run": run_program, "examples": write_example},
    "Predict and explain": {
        "perf": perf,
        "compare": compare_programs,
        "advise": advise_program,
        "explain": explain_op,
        "inspect": inspect_program,
        "explore": explore_model,
    },
    "Use the real ttnn library": {"emit": emit_program, "check": check_program},
    "Develop the compiler": {
        "opt": opt,
        "filecheck": run_filecheck,
        "passes": print_pass_help,
        "ops": print_ops,
        "bisect": bisect_model,
        "reduce": reduce_file,
        "env": print_environment,
    },
}

for _group, _some in _COMMANDS.items():
    for _name, _command in _some.items():
        app.command(_name, cls=Command, rich_help_panel=_group)(with_verbose(_command))
app.add_typer(system_desc, name="system-desc", rich_help_panel="Devices")
