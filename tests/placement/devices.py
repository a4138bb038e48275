"""Wormhole with another grid and another L1."""

from functools import cache

from hypothesis import strategies as st

from ttstack.system_desc import SystemDesc, from_dict, load, to_dict

KIB = 1024
GRIDS = ((1, 1), (1, 8), (7, 8), (8, 8), (10, 13))


@cache
def device(grid: tuple[int, int] = (8, 8), usable: int | None = None) -> SystemDesc:
    """A device with `usable` bytes of L1 for programs on each core, or as many as Wormhole has."""
    values = to_dict(load("wormhole"))
    chip = values["chips"][0]
    chip["grid"] = grid
    chip["tensix_grid"] = [max(pair) for pair in zip(grid, chip["tensix_grid"], strict=True)]
    columns = chip["tensix_grid"][1]
    if columns > len(chip["noc"]["worker_columns"]):
        chip["noc"] |= {"grid": [chip["noc"]["grid"][0], columns + 2], "worker_columns": [*range(1, columns + 1)]}
    chip["dram"]["bank_workers"] = [[0, 0]] * chip["dram"]["num_channels"]
    l1 = chip["l1"]
    if usable is not None:
        l1["size_bytes"] = l1["unreserved_base"] + usable + l1["reserved_top_bytes"]
    return from_dict(values)


def devices() -> st.SearchStrategy[SystemDesc]:
    usable = st.sampled_from((64 * KIB, 96 * KIB, 160 * KIB, 384 * KIB, 1328 * KIB))
    return st.builds(device, st.sampled_from(GRIDS), usable)
