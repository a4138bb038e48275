"""`ttstack system-desc`: lists, prints and checks device descriptions."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ttstack.cli.console import stdout, write, write_json
from ttstack.cli.help import Command, CommandGroup
from ttstack.cli.shared_options import JsonOption, device_names
from ttstack.cli.verbose import with_verbose

if TYPE_CHECKING:
    from ttstack.system_desc import SystemDesc

app = typer.Typer(
    cls=CommandGroup, help="Show and check device descriptions.", no_args_is_help=True, rich_markup_mode=None
)
Device = Annotated[
    str,
    typer.Argument(
        metavar="NAME|PATH", help="A preset, a board or a YAML file.", show_default=False, autocompletion=device_names
    ),
]


@app.command("list", cls=Command)
@with_verbose
def list_presets(as_json: JsonOption = False) -> None:
    """List the presets."""
    from ttstack.cli.render import show
    from ttstack.system_desc import load, presets

    devices = {name: load(name) for name in presets()}
    if as_json:
        write_json([{"preset": name, **_figures(desc)} for name, desc in devices.items()])
    else:
        show(stdout(), [_row(name, desc) for name, desc in devices.items()])


def _figures(desc: "SystemDesc") -> dict[str, Any]:
    """Return the main parameters of a device; bytes and bytes per second are of all chips."""
    chip = desc.chips[0]
    return {
        "name": desc.name,
        "arch": chip.arch,
        "ttnn": chip.ttnn,
        "grids": [list(c.grid) for c in desc.chips],
        "clock_hz": chip.clock_hz,
        "l1_bytes": chip.l1.size_bytes,
        "dram_bytes": sum(c.dram.num_channels * c.dram.channel_size_bytes for c in desc.chips),
        "dram_bytes_per_second": sum(c.dram.peak_bytes_per_second for c in desc.chips),
    }


def _row(name: str, desc: "SystemDesc") -> dict[str, Any]:
    figures = _figures(desc)
    return {
        "preset": name,
        "arch": figures["arch"],
        "workers": _grids(desc),
        "GHz": figures["clock_hz"] / 1e9,
        "L1 KiB": figures["l1_bytes"] // 1024,
        "DRAM GiB": figures["dram_bytes"] / 2**30,
        "peak GB/s": figures["dram_bytes_per_second"] / 1e9,
    }


def _grids(desc: "SystemDesc") -> str:
    """Return the worker grids of the chips: `8x8`, `8x8 7x8`, `4*7x8 4*8x8`."""
    counts = Counter("x".join(map(str, chip.grid)) for chip in desc.chips)
    return " ".join(grid if n == 1 else f"{n}*{grid}" for grid, n in counts.items())


@app.command("show", cls=Command)
@with_verbose
def show(
    device: Device,
    sources: Annotated[bool, typer.Option("--sources/--no-sources", help="Print the source of each number.")] = True,
    ttnn: Annotated[
        str | None, typer.Option("--ttnn", metavar="VERSION", help="Print the numbers of this release of ttnn.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a description, with all defaults."""
    from ttstack.system_desc import dump, load, to_dict
    from ttstack.system_desc.at_release import at_release

    desc = load(device) if ttnn is None else at_release(load(device), ttnn)
    if as_json:
        write_json(to_dict(desc, sources=sources))
    else:
        write(dump(desc, sources=sources))


@app.command("check", cls=Command)
@with_verbose
def check(device: Device, as_json: JsonOption = False) -> None:
    """Check a description, and print every error with its line."""
    from ttstack.system_desc import load

    desc = load(device)
    if as_json:
        write_json({"good": True, **_figures(desc), "unsourced": [str(path) for path in desc.unsourced()]})
    else:
        write(_verdict(device, desc))


def _verdict(device: str, desc: "SystemDesc") -> str:
    chips = ", ".join(f"{c.arch} {c.grid[0]}x{c.grid[1]}" for c in desc.chips)
    missing = len(desc.unsourced())
    note = f"; {missing} {'figure' if missing == 1 else 'figures'} without a source" if missing else ""
    return f"{device}: good: {desc.name}, {desc.num_chips} {'chip' if desc.num_chips == 1 else 'chips'} ({chips}){note}"
