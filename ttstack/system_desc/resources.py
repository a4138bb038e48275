"""The resources of a device that an op can wait for, each with the figures that say how fast it is."""

from enum import StrEnum
from functools import lru_cache
from typing import Self

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.chip_figures import read, with_figures
from ttstack.system_desc.fields import dimension_at, unpriced_reason
from ttstack.system_desc.quantities import BYTES_PER_CYCLE, BYTES_PER_SECOND, CYCLES, NANOSECONDS
from ttstack.system_desc.sources import figures, find_section


def _of_transfers(figure: str) -> tuple[str, ...]:
    kinds = ("local", "l1_read", "l1_write", "dram_read", "dram_write", "multicast")
    return tuple(f"noc.{kind}.{figure}" for kind in kinds)


class Resource(StrEnum):
    """One resource; its value is its name in reports.

    The clock is not one: it speeds up most of them at once. Neither are counts and sizes, which placement depends on.
    """

    full_name: str
    meaning: str
    """The resource that an op with this bound waits for."""
    remedy: str
    """Ways to make such an op faster on the same device."""
    sections: tuple[str, ...]
    """Dotted paths of its figures in a chip, or of sections whose times and rates are all its own."""

    def __new__(cls, name: str, full_name: str, meaning: str, remedy: str, sections: tuple[str, ...]) -> Self:
        """Return the member `name` with its description and figures."""
        self = str.__new__(cls, name)
        self._value_ = name
        self.full_name, self.meaning, self.remedy, self.sections = full_name, meaning, remedy, sections
        return self

    DRAM = (
        "DRAM",
        "DRAM channels",
        "bytes and pages that the DRAM channels read or write",
        "fewer bits (`--weights-dtype bfp8_b`, `--precision performance`), a larger batch for the same weights",
        ("dram",),
    )
    NOC = (
        "NoC",
        "NoC links and ports",
        "bytes through the busiest link of the networks on chip, or through the port of one core",
        "another grid or sharding (`ttstack explain`, `--placement optimal`), fewer bits",
        ("noc",),
    )
    LATENCY = (
        "latency",
        "latency of transfers",
        "the time from a request to its answer, where few requests are under way at once",
        "larger ops, sharded operands that need no transfer",
        (
            *_of_transfers("latency_cycles"),
            "noc.hop_cycles",
            *(f"ethernet.{name}" for name in ("hop_ns", "setup_ns", "step_ns", "gather_step_ns")),
            *(f"pcie.{name}" for name in ("latency_ns", "to_device_call_ns", "from_device_call_ns")),
        ),
    )
    RISCV = (
        "RISC-V",
        "RISC-V cores that move data",
        "addresses and requests of many small transfers, and elements that are copied one by one",
        "tiles instead of rows, longer rows, fewer lookups, permutes and padded dimensions",
        (
            "riscv",
            "gather",
            *_of_transfers("issue_cycles"),
            *(
                f"movement.{name}"
                for name in ("address_cycles", "element_cycles", "copy_bytes_per_cycle", "pixel_fetch", "tile_padding")
            ),
        ),
    )
    FPU = (
        "FPU",
        "matrix unit (FPU)",
        "matmuls, sums and additions of tiles on the core with the most work",
        "a lower fidelity (`--precision performance`), more cores: `ttstack explain`",
        ("matrix",),
    )
    SFPU = (
        "SFPU",
        "vector unit (SFPU)",
        "functions of elements, such as exp and gelu, on the core with the most work",
        "`--approximate gelu`, a cheaper activation",
        ("vector",),
    )
    UNPACKER = (
        "unpacker",
        "unpackers",
        "operand tiles on their way from L1 into the math units",
        "fewer bits (`--precision performance`)",
        ("unpack",),
    )
    PACKER = (
        "packer",
        "packers",
        "result tiles on their way from the math units into L1",
        "fewer bits (`--precision performance`)",
        ("pack",),
    )
    KERNEL = (
        "kernel",
        "code of tt-metal's kernels",
        "steps of a kernel that no unit's rate explains: passes over rows, softmax, tilizing, hand-overs between cores",
        "fewer such ops; no faster unit changes it",
        ("rows", "attention", "movement", "matrix.subblock_cycles", "matrix.sharded_weights_cycles"),
    )
    LAUNCH = (
        "launch",
        "launch of kernels",
        "the start of a kernel, its set-up and the gap after it, however little the op does",
        "fewer and larger ops: more rows at once, the steps of a loop as one op",
        ("launch", "pipeline", "movement.start_cycles", "movement.math_start_cycles"),
    )
    ETHERNET = (
        "Ethernet",
        "Ethernet links",
        "bytes and packets over the busiest link between chips",
        "fewer bits, another split over the mesh",
        ("ethernet",),
    )
    PCIE = (
        "PCIe",
        "PCIe",
        "bytes and pages to or from the host",
        "values that stay on the device",
        ("pcie",),
    )


_BY_SECTION = {section: resource for resource in Resource for section in resource.sections}


@lru_cache(4096)
def resource_of(path: str) -> Resource | None:
    """Return the resource that a chip's figure is a speed of; None of the clock, shares, counts and sizes.

    Figures that no predicted time depends on have none either.
    """
    section = find_section(_BY_SECTION, path)
    if section is None or unpriced_reason(path) is not None or not (_is_rate(path) or _is_time(path)):
        return None
    return _BY_SECTION[section]


def _is_rate(path: str) -> bool:
    return dimension_at(path) in (BYTES_PER_CYCLE, BYTES_PER_SECOND)


def _is_time(path: str) -> bool:
    return dimension_at(path) in (CYCLES, NANOSECONDS)


def speed_figures(chip: ChipDesc, resource: Resource, factor: float) -> dict[str, float]:
    """Return the figures of a resource that is `factor` times as fast: rates times the factor, times divided by it."""
    parts = dict.fromkeys(section.partition(".")[0] for section in resource.sections)
    paths = (path for part in parts for path in figures(getattr(chip, part), part))
    values = {path: read(chip, path) for path in paths if resource_of(path) is resource}
    return {path: value * factor if _is_rate(path) else value / factor for path, value in values.items()}


def accelerate(chip: ChipDesc, resource: Resource, factor: float) -> ChipDesc:
    """Return the chip with one resource `factor` times as fast."""
    found = speed_figures(chip, resource, factor)
    return with_figures(chip, tuple(found), tuple(found.values()))
