"""Numbers, layouts and locations as people read them; shared by all writers that people read."""

from ttstack.device.layout import Layout, MemoryLayout
from ttstack.program.locations import ELLIPSIS, file_and_line, parts

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def micros(ns: float) -> str:
    """Microseconds with one decimal: `1,234.5`."""
    return f"{ns / 1000:,.1f}"


def duration(ns: float) -> str:
    """A time with a unit that fits: `123 ns`, `12.3 µs`, `1.23 ms`."""
    if ns < 1000:
        return f"{ns:.0f} ns"
    return f"{ns / 1e3:.1f} µs" if ns < 1e6 else f"{ns / 1e6:,.2f} ms"


def percent(share: float) -> str:
    """A share with one decimal, without the sign."""
    return f"{100 * share:.1f}"


def size(nbytes: int) -> str:
    """Bytes in the largest unit of which there is at least one: `1.4 MiB`."""
    value, unit = float(nbytes), 0
    while value >= 1024 and unit < len(_BINARY) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {_BINARY[unit]}" if unit == 0 else f"{value:.1f} {_BINARY[unit]}"


def count(number: int, what: str) -> str:
    """`1 op`, `2 ops`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def each_second(number: float) -> str:
    """How many a second: `21,294`, `1.46`."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def tail(text: str, width: int) -> str:
    """The end of a text that is too long: file and line of a path tell more than its root."""
    return text if len(text) <= width else f"{ELLIPSIS}{text[len(text) - width + 1 :]}" if width > 1 else text[-width:]


def short_location(text: str, width: int) -> str:
    """A location in at most `width` characters: of `name (file:line)` the folders go first, then the file."""
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
    """How far a placement can be from the best one."""
    return f"at most {100 * gap:.1f} % above"


def spell_gain(saved: float) -> str:
    """How long a program takes that saves a share of another's time."""
    if percent(abs(saved)) == percent(0):
        return "this takes as long"
    return f"this takes {percent(abs(saved))} % {'less' if saved > 0 else 'more'}"
