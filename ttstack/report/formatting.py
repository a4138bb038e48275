"""Numbers, layouts and locations as people read them; shared by all writers that people read."""

from ttstack.device.layout import Layout, MemoryLayout
from ttstack.program.locations import ELLIPSIS, file_and_line, parts

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def micros(ns: float) -> str:
    """Microseconds with one decimal: `1,234.5`."""
    return f"{ns / 1000:,.1f}"


def duration(ns: float) -> str:
    """Return a time with a unit that fits: `123 ns`, `12.3 µs`, `1.23 ms`."""
    if ns < 1000:
        return f"{ns:.0f} ns"
    return f"{ns / 1e3:.1f} µs" if ns < 1e6 else f"{ns / 1e6:,.2f} ms"


def duration_range(low: float, high: float) -> str:
    """Two times in the unit of the longer one: `2.97 to 3.61 ms`."""
    unit, scale, digits = ("ns", 1.0, 0) if high < 1e3 else ("µs", 1e3, 1) if high < 1e6 else ("ms", 1e6, 2)
    return f"{low / scale:,.{digits}f} to {high / scale:,.{digits}f} {unit}"


def likely_range(likely_ns: tuple[float, float] | None) -> str:
    """Return the times between which another one is expected, or that its error is unknown."""
    return "error unknown" if likely_ns is None else duration_range(*likely_ns)


def percent(share: float) -> str:
    """Return a share with one decimal, without the sign."""
    return f"{100 * share:.1f}"


def signed_percent(share: float) -> str:
    """Return a change as a share, with sign and unit: `+18.8 %`."""
    return f"{100 * share:+z.1f} %"


def size(nbytes: int) -> str:
    """Return the bytes in the largest unit of which there is at least one: `1.4 MiB`."""
    value, unit = float(nbytes), 0
    while value >= 1024 and unit < len(_BINARY) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {_BINARY[unit]}" if unit == 0 else f"{value:.1f} {_BINARY[unit]}"


def count(number: int, what: str) -> str:
    """`1 op`, `2 ops`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def each_second(number: float) -> str:
    """Format a rate per second: `21,294`, `1.46`."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def tail(text: str, width: int) -> str:
    """Return the end of a text that is too long: file and line of a path tell more than its root."""
    return text if len(text) <= width else f"{ELLIPSIS}{text[len(text) - width + 1 :]}" if width > 1 else text[-width:]


def short_location(text: str, width: int) -> str:
    """Return a location in at most `width` characters: of `name (file:line)` the folders go first, then the file."""
    name, _ = parts(text)
    if len(text) <= width or not name:
        return tail(text, width)
    brief = file_and_line(text)
    return brief if len(brief) <= width else tail(name, width)


def short_layout(layout: Layout) -> str:
    """`bf16 dram`, `f32 l1 bs 8x8`, `ui32 dram rm`: format, memory, sharding with grid, row-major."""
    grid = f" {layout.grid}" if layout.grid else ""
    row_major = "" if layout.tiled else " rm"
    return f"{layout.dtype} {layout.memory_space}{_sharding(layout.memory_layout)}{grid}{row_major}"


def _sharding(kind: MemoryLayout) -> str:
    match kind:
        case MemoryLayout.INTERLEAVED:
            return ""
        case MemoryLayout.HEIGHT_SHARDED:
            return " hs"
        case MemoryLayout.WIDTH_SHARDED:
            return " ws"
        case MemoryLayout.BLOCK_SHARDED:
            return " bs"
        case MemoryLayout.REPLICATED:
            return " rep"


def above(gap: float) -> str:
    """Format the largest possible distance of a placement from the optimum."""
    return f"at most {100 * gap:.1f} % above"
