"""`ttstack ops`: the ops of the `ttir` dialect, and the description of one."""

from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write, write_json, write_sentence
from ttstack.cli.shared_options import JsonOption

if TYPE_CHECKING:
    from ttstack.ops.described import OpDescription


def _names() -> list[str]:
    from ttstack.ops import OPS

    return list(OPS)


def print_ops(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Op to describe (default: list all).", show_default=False, autocompletion=_names
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the ops, or describe one: operands, attributes, meaning."""
    from ttstack.ops import OPS
    from ttstack.ops.described import describe_op

    if name is None:
        found = [describe_op(spec) for spec in OPS.values()]
        if as_json:
            write_json([asdict(op) for op in found])
        else:
            _list(found)
        return
    known = name.removeprefix("ttir.").removeprefix("ttnn.")
    if known not in OPS:
        from ttstack.cli.known_names import unknown_name

        raise unknown_name("op", name, known, OPS, "ttstack ops")
    op = describe_op(OPS[known])
    if as_json:
        write_json(asdict(op))
    else:
        _describe(op)


def _list(found: "list[OpDescription]") -> None:
    families: dict[str, list[str]] = defaultdict(list)
    for op in found:
        families[op.family].append(op.mnemonic)
    for family, names in families.items():
        write_sentence(f"{family}: {', '.join(names)}")
    write_sentence("\n`ttstack ops NAME` describes one.")


def _describe(op: "OpDescription") -> None:
    from rich.table import Table

    write(f"{op.mnemonic} ({op.family})")
    write_sentence(op.meaning)
    if not op.executable:
        write_sentence("It is replaced before lowering.")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("operands", ", ".join(op.operands) or "none")
    table.add_row("results", ", ".join(op.results) or "none")
    table.add_row("in Python", f"views.{op.view}, for passes and patterns")
    for number, (spelling, default) in enumerate(op.attributes):
        given = default if default in ("required", "absent") else f"default {default}"
        table.add_row("" if number else "attributes", f"{spelling}, {given}")
    stdout().print(table)
