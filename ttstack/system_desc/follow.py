"""Figures that follow from a change of other figures, unless a what-if sets them too."""

from collections.abc import Callable, Mapping
from typing import Any, cast

Figures = Mapping[str, Any]


def cores(count: int, grid: tuple[int, int], die: tuple[int, int]) -> list[int]:
    """The grid of that many cores that is nearest to the present one, whole rows rather than whole columns.

    Raises:
        ValueError: no grid on the die has so many; the nearest that have.
    """
    grids = [(rows, cols) for rows in range(1, die[0] + 1) for cols in range(1, die[1] + 1)]
    fitting = [g for g in grids if g[0] * g[1] == count]
    if fitting:
        return list(min(fitting, key=lambda g: (abs(g[0] - grid[0]) + abs(g[1] - grid[1]), -g[1])))
    below = max((g for g in grids if g[0] * g[1] < count), key=lambda g: (g[0] * g[1], g[1]), default=None)
    above = min((g for g in grids if g[0] * g[1] > count), key=lambda g: (g[0] * g[1], -g[1]), default=None)
    near = " or ".join(f"{g[0]}x{g[1]}, {g[0] * g[1]} cores" for g in (below, above) if g)
    raise ValueError(f"no grid of rows and columns on a die of {die[0]}x{die[1]} has {count} cores; write {near}")


def follow(chip: dict[str, Any], found: Figures) -> dict[str, Any]:
    """Return the figures of a chip that must agree with those found, by path; those that are found stay."""
    made = {path: make(chip, found) for paths, make in _RULES for path in paths if path in found}
    return {path: value for figures in made.values() for path, value in figures.items() if path not in found}


def _of_channels(chip: dict[str, Any], found: Figures) -> dict[str, Any]:
    """Return each channel has its share of the peak; further ones are next to the first, behind the same routers."""
    dram, count = chip["dram"], found["dram.num_channels"]
    before = dram["num_channels"]
    if not isinstance(count, int) or not 0 < count <= 4096 or count == before:
        return {}
    return {
        "dram.grid": [1, count],
        "dram.bank_workers": _repeat(dram["bank_workers"], count),
        "dram.routers": _repeat(dram["routers"], count),
        "dram.peak_bytes_per_second": dram["peak_bytes_per_second"] * count / before,
    }


def _repeat(items: list[Any], count: int) -> list[Any]:
    return [items[i % len(items)] for i in range(count)]


def _of_grid(chip: dict[str, Any], found: Figures) -> dict[str, Any]:
    """Return the die, and the network, hold the workers; more of them are on the next routers."""
    noc, die = chip["noc"], found.get("tensix_grid", chip["tensix_grid"])
    grid = found.get("grid", chip["grid"])
    if not (_is_grid(grid) and _is_grid(die)):
        return {}
    die = [max(pair) for pair in zip(grid, die, strict=True)] if "tensix_grid" not in found else die
    if die == chip["tensix_grid"]:
        return {}
    lines = [_lines(noc[f"worker_{which}"], size) for which, size in zip(("rows", "columns"), die, strict=True)]
    routers = [max(size, *(line + 1 for line in on)) for size, on in zip(noc["grid"], lines, strict=True)]
    return {"tensix_grid": die, "noc.worker_rows": lines[0], "noc.worker_columns": lines[1], "noc.grid": routers}


def _is_grid(value: Any) -> bool:
    """Return True if the value is a grid; other values are rejected together with the description."""
    items = cast(list[Any], value) if isinstance(value, list) else []
    return len(items) == 2 and all(isinstance(n, int) for n in items)


def _lines(present: list[int], count: int) -> list[int]:
    further = range(present[-1] + 1, present[-1] + 1 + max(count - len(present), 0))
    return [*present[:count], *further]


_RULES: tuple[tuple[tuple[str, ...], Callable[[dict[str, Any], Figures], dict[str, Any]]], ...] = (
    (("dram.num_channels",), _of_channels),
    (("grid", "tensix_grid"), _of_grid),
)
