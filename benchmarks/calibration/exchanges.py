"""Rows of what goes between chips, and between a chip and the host."""

import math
import re

from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from rows import Row
from shapes import named, tensors

from ttstack.ops.types import TensorType
from ttstack.program.layout import Layout
from ttstack.system_desc import ChipDesc

_UNITS = {"b": 1, "bytes": 1, "byte": 1, "kb": 1000, "kib": 1024, "mb": 10**6, "mib": 2**20, "gb": 10**9, "gib": 2**30}


def _nbytes(row: Row) -> float:
    """Bytes that are moved: a size with a unit in shape or notes, or the tensor of the shape."""
    for text in (row.shape, row.notes):
        found = re.search(r"([\d.]+)\s*(GiB|MiB|KiB|GB|MB|KB|bytes?|B)\b", text, re.IGNORECASE)
        if found:
            return float(found[1]) * _UNITS[found[2].lower()]
    sizes = named(row.shape)
    for name in ("payload_size", "packet_size", "size", "payload", "packet"):
        if name in sizes:
            return sizes[name] * sizes.get("num_packets", sizes.get("packets", 1))
    t = tensors(row)[0]
    return Layout(t.dtype).nbytes(t) if isinstance(t, TensorType) else 0.0  # type: ignore[arg-type]


def fabric_row(row: Row) -> Expressed:
    """A message from chip to chip: a hop each, and its bytes at the rate of one link."""
    hops = named(row.shape).get("hops", named(row.notes).get("hops", 1))
    return _over_ethernet(row, "fabric", _nbytes(row), hops, 1)


def collective_row(row: Row) -> Expressed:
    """A gather, scatter or reduction over the chips of a ring or line, with all links between neighbours."""
    sizes = named(f"{row.shape} {row.notes} {row.grid}")
    chips = sizes.get("devices", sizes.get("chips", sizes.get("num_devices", _chips(row))))
    links = sizes.get("links", sizes.get("num_links", 1))
    words = row.op.lower()
    rounds = 2 if re.search("all_?reduce", words) else 1
    whole = _nbytes(row)
    share = whole / chips
    ring = "line" not in f"{words} {row.notes.lower()}"
    passing = rounds * (chips - 1) * share / (2 if ring else 1)
    return _over_ethernet(row, "collective", passing, rounds * (chips // 2 if ring else chips - 1), links)


def _chips(row: Row) -> int:
    for name, count in (("n300", 2), ("t3", 8), ("llmbox", 8), ("galaxy", 8), ("tg", 8), ("6u", 8)):
        if name in row.board.lower():
            return count
    raise InexpressibleError("the row does not say how many chips take part")


def _over_ethernet(row: Row, kind: str, nbytes: float, hops: int, links: int) -> Expressed:
    if row.time_us is None:
        raise InexpressibleError("no time")

    def forecast(chip: ChipDesc) -> Forecast:
        if chip.ethernet is None:
            return Forecast(math.nan, math.nan, "ethernet")
        rate = chip.ethernet.effective_bytes_per_second * links
        least = nbytes / (chip.ethernet.link_bytes_per_second * links)
        return Forecast((nbytes / rate * 1e9 + hops * chip.ethernet.hop_ns) / 1e3, least * 1e6, "ethernet")

    return Expressed(row, kind, row.time_us, forecast)


def host_row(row: Row) -> Expressed:
    """A buffer written to a device from the host, or read back."""
    if row.time_us is None:
        raise InexpressibleError("no time")
    nbytes, reads = _nbytes(row), "read" in f"{row.op} {row.table}".lower() and "write" not in row.op.lower()

    def forecast(chip: ChipDesc) -> Forecast:
        if chip.pcie is None:
            return Forecast(math.nan, math.nan, "pcie")
        rate = chip.pcie.from_device_bytes_per_second if reads else chip.pcie.to_device_bytes_per_second
        least = nbytes / chip.pcie.peak_bytes_per_second
        return Forecast((chip.pcie.latency_ns + nbytes / rate * 1e9) / 1e3, least * 1e6, "pcie")

    return Expressed(row, "host transfer", row.time_us, forecast)
