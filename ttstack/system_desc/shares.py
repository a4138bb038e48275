"""Older descriptions, with achieved rates in bytes per second instead of fractions of a peak."""

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ttstack.system_desc.faults import Fault, Mark, Path
from ttstack.system_desc.quantities import BYTES_PER_CYCLE, BYTES_PER_SECOND, Dimension

if TYPE_CHECKING:
    from ttstack.system_desc.document import Document

_TRANSFERS = ("local", "l1_read", "l1_write", "dram_read", "dram_write", "multicast")


class FormerRate(NamedTuple):
    """A share of a peak, and how it was written before."""

    share: str
    """Dotted path in a chip, as are the others."""
    rate: str
    peak: str
    dimension: Dimension = BYTES_PER_SECOND
    parts: str | None = None
    """A count of the parts that have the peak together, if the rate is of one part."""


def _of(section: str, peak: str, *names: str, parts: str | None = None) -> tuple[FormerRate, ...]:
    """Rates of one section in bytes a second."""
    whole = f"{section}.{peak}_bytes_per_second"
    return tuple(
        FormerRate(f"{section}.{n}_fraction", f"{section}.{n}_bytes_per_second", whole, parts=parts) for n in names
    )


RATES = (
    *_of(
        "dram", "peak", "bank_adjacent_read", "interleaved_read", "interleaved_write", "streamed_write", "weights_read"
    ),
    *_of("dram", "peak", "channel_read", "channel_write", parts="dram.num_channels"),
    *_of("ethernet", "link", "effective"),
    *_of("pcie", "peak", "to_device", "from_device"),
    FormerRate("noc.port_fraction", "noc.port_bytes_per_cycle", "noc.link_bytes_per_cycle", BYTES_PER_CYCLE),
    *(
        FormerRate(f"noc.{n}.link_fraction", f"noc.{n}.bytes_per_cycle", "noc.link_bytes_per_cycle", BYTES_PER_CYCLE)
        for n in _TRANSFERS
    ),
)


def state_shares(chip: dict[str, Any]) -> None:
    """Replace rates of a chip by fractions, in place; other values are left to validation."""
    for rate in RATES:
        section, old, new = _place(chip, rate)
        if old in section and new not in section:
            try:
                section[new] = _share(chip, section[old], rate)
            except ValueError:
                continue
            del section[old]
            _cite(chip, rate)


def state_shares_of(document: "Document") -> None:
    """Replace rates in a file's chips by fractions; line numbers of rates become those of fractions."""
    content = document.value
    chips = cast(dict[str, Any], content).get("chips") if isinstance(content, dict) else None
    for index, chip in enumerate(cast(list[Any], chips) if isinstance(chips, list) else ()):
        for rate in RATES if isinstance(chip, dict) else ():
            _state(document, ("chips", index), cast(dict[str, Any], chip), rate)


def _state(document: "Document", at: Path, chip: dict[str, Any], rate: FormerRate) -> None:
    section, old, new = _place(chip, rate)
    path, before = (*at, *rate.share.split(".")), (*at, *rate.rate.split("."))
    mark, other = document.marks.get(before), document.marks.get(path)
    if old not in section or (new in section and mark and other and mark.file == other.file):
        return
    given = section.pop(old)
    try:
        section[new] = _share(chip, given, rate)
    except ValueError as error:
        document.faults.append(Fault(str(error), mark, path))
    _cite(chip, rate, mark)
    for prefix, name, earlier in ((at, path, before), ((*at, "sources"), (*at, "sources", rate.share), None)):
        mark = document.marks.get(earlier or (*prefix, rate.rate))
        if mark:
            document.marks[name] = mark


def _place(chip: dict[str, Any], rate: FormerRate) -> tuple[dict[str, Any], str, str]:
    """Return the section of a rate, empty if missing, and the names of the rate and the fraction in it."""
    *sections, old = rate.rate.split(".")
    part: Any = chip
    for name in sections:
        part = cast(dict[str, Any], part).get(name) if isinstance(part, dict) else None
    section = cast(dict[str, Any], part) if isinstance(part, dict) else {}
    return section, old, rate.share.rpartition(".")[2]


def _share(chip: dict[str, Any], given: object, rate: FormerRate) -> float:
    """Return a rate as a fraction; raise `ValueError` if it or its peak is not a quantity of the right kind."""
    peak = rate.dimension(_value(chip, rate.peak))
    parts = _value(chip, rate.parts) if rate.parts else 1
    if not peak or not isinstance(parts, int) or not parts:
        raise ValueError(f"a share of {rate.peak} cannot be computed")
    return rate.dimension(given) * parts / peak


def _value(chip: dict[str, Any], path: str) -> object:
    section, _, name = path.partition(".")
    part = chip.get(section)
    return cast(dict[str, Any], part).get(name) if isinstance(part, dict) else None


def _cite(chip: dict[str, Any], rate: FormerRate, mark: Mark | None = None) -> None:
    """Move the citation of a rate to its fraction; without one, remove the base's citation."""
    sources = chip.get("sources")
    if not isinstance(sources, dict):
        return
    cited = cast(dict[str, Any], sources)
    if rate.rate in cited:
        cited[rate.share] = cited.pop(rate.rate)
    elif rate.share in cited and mark:
        cited[rate.share] = f"set in {mark.file}"
