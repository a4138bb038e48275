"""`ttstack system-desc`: the devices that are known, and checks of those that are not."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from ttstack.cli.console import stdout, write
from ttstack.cli.options import JsonOption

if TYPE_CHECKING:
    from ttstack.system_desc import SystemDesc

app = typer.Typer(help="Show and check device descriptions.", no_args_is_help=True, rich_markup_mode=None)
Device = Annotated[str, typer.Argument(metavar="NAME|PATH", help="A YAML file, else a preset.", show_default=False)]


@app.command("list")
def list_presets() -> None:
    """List the presets."""
    from rich.table import Table

    from ttstack.report.formatting import size
    from ttstack.system_desc import load, presets

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("preset", "arch", "workers", "GHz", "L1 KiB", "DRAM", "DRAM peak"):
        table.add_column(
            title, no_wrap=title != "workers", min_width=max(map(len, presets())) if title == "preset" else None
        )
    for name in presets():
        desc = load(name)
        chip = desc.chips[0]
        table.add_row(
            name,
            chip.arch,
            _grids(desc),
            f"{chip.clock_hz / 1e9:g}",
            f"{chip.l1.size_bytes / 1024:g}",
            size(sum(c.dram.num_channels * c.dram.channel_size_bytes for c in desc.chips)),
            f"{sum(c.dram.peak_bytes_per_second for c in desc.chips) / 1e9:g} GB/s",
        )
    stdout().print(table)


def _grids(desc: "SystemDesc") -> str:
    """Workers of the chips: `8x8`, `8x8 7x8`, `4*7x8 4*8x8`."""
    counts = Counter("x".join(map(str, chip.grid)) for chip in desc.chips)
    return " ".join(grid if n == 1 else f"{n}*{grid}" for grid, n in counts.items())


@app.command("show")
def show(
    device: Device,
    sources: Annotated[bool, typer.Option("--sources/--no-sources", help="With the source of each figure.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Print a description with all defaults filled in."""
    from ttstack.system_desc import dump, load, to_dict

    desc = load(device)
    if as_json:
        from ttstack.cli.console import write_json

        write_json(to_dict(desc, sources=sources))
    else:
        write(dump(desc, sources=sources))


@app.command("check")
def check(device: Device) -> None:
    """Check a description; every fault is told with its line."""
    from ttstack.system_desc import load

    write(_verdict(device, load(device)))


def _verdict(device: str, desc: "SystemDesc") -> str:
    chips = ", ".join(f"{c.arch} {c.grid[0]}x{c.grid[1]}" for c in desc.chips)
    missing = len(desc.unsourced())
    note = f"; {missing} figures without a source" if missing else ""
    return f"{device}: good: {desc.name}, {desc.num_chips} {'chip' if desc.num_chips == 1 else 'chips'} ({chips}){note}"
