"""Rows of messages from chip to chip, and of buffers between a chip and the host."""

import math
import re

from boards import chip_of
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from rows import Row
from shapes import extents, named, plain, tensors

from ttstack.cost.mesh import packet_ns, pcie_ns
from ttstack.device.layout import Layout
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc, load

_UNITS = {"b": 1, "bytes": 1, "byte": 1, "kb": 1000, "kib": 1024, "mb": 10**6, "mib": 2**20, "gb": 10**9, "gib": 2**30}
_PREFIXES = {"G": 1e9, "M": 1e6, "Gi": 2.0**30, "Mi": 2.0**20}
_SIZE = r"([\d.]+)\s*(GiB|MiB|KiB|GB|MB|KB|bytes?|B)\b(?!\s*/)"
_LONG = 2.0**29
"""Bytes of a transfer that a table of rates leaves out: long ones have the rate that does not depend on it."""
_PACKET = 4096
"""Bytes of the largest packet of tt-metal's fabric."""


def _nbytes(text: str, *names: str) -> float | None:
    """A size after one of the names: with a unit or in bytes."""
    for name in names:
        found = re.search(rf"\b{name}\w*\s*[:=]?\s*(?:of\s*)?(?:{_SIZE}|(\d+))", plain(text), re.IGNORECASE)
        if found:
            return float(found[3]) if found[3] else float(found[1]) * _UNITS[found[2].lower()]
    return None


def _largest(row: Row) -> float:
    """The largest size with a unit, or with the name of one, or the tensor of the shape."""
    text = f"{row.shape}; {row.notes}"
    found = [float(n) * _UNITS[unit.lower()] for n, unit in re.findall(_SIZE, text, re.IGNORECASE)]
    found += [n for name in ("transfer_size", "size", "payload", "bytes") if (n := _nbytes(text, name))]
    if found:
        return max(found)
    if re.search(r"page", text) and row.time_us is None:
        return _LONG
    if not extents(row.shape) or not isinstance((t := tensors(row)[0]).dtype, DType):
        raise InexpressibleError("the row does not say how many bytes are moved")
    return Layout(t.dtype).nbytes(t)


def stated_us(row: Row, nbytes: float) -> float:
    """The measured time, or that of `nbytes` at the measured rate."""
    if row.time_us is not None:
        return row.time_us
    text = f"{row.notes}; {row.shape}"
    rate = re.search(r"([\d.]+)(?:-([\d.]+))?\s*([GM]i?)B/s", text)
    if rate is not None:
        mean = (float(rate[1]) + float(rate[2] or rate[1])) / 2
        return nbytes / (mean * _PREFIXES[rate[3]]) * 1e6
    rate = re.search(r"([\d.]+)\s*(?:B|bytes)/c(?:ycle)?\b", text)
    if rate is None:
        raise InexpressibleError("neither a time nor a rate")
    return nbytes / (float(rate[1]) * chip_of(row, load("wormhole").chips[0]).clock_hz) * 1e6


def fabric_row(row: Row) -> Expressed:
    """A message from chip to chip, handed on packet by packet; of a rate, one of many packets in a row."""
    text = f"{row.shape}; {row.notes}"
    nbytes = _nbytes(text, "payload", "packet_size", "packet", "message") or _largest(row)
    sizes = named(text)
    hops = max(sizes.get("hops", sizes.get("hop", sizes.get("num_hops", 1))), 1)
    streamed = row.time_us is None
    measured = stated_us(row, nbytes)

    def forecast(chip: ChipDesc) -> Forecast:
        if chip.ethernet is None:
            return Forecast(math.nan, math.nan, "ethernet")
        fabric = chip.ethernet.fabric
        if fabric is not None and streamed and row.op.startswith("fabric:"):
            ns = packet_ns(chip.ethernet, fabric, nbytes, row.op)
            return Forecast(ns / 1e3, nbytes / chip.ethernet.link_bytes_per_second * 1e6, "ethernet")
        peak, packet = chip.ethernet.link_bytes_per_second, min(nbytes, _PACKET)
        handling = _PACKET / chip.ethernet.effective_bytes_per_second - _PACKET / peak
        one = (packet / peak + handling) * 1e9
        rest = max(nbytes / packet - 1, 0) * one
        sent = packet / chip.ethernet.effective_bytes_per_second * 1e9
        ns = one + rest if streamed else hops * (chip.ethernet.hop_ns + sent) + rest
        return Forecast(ns / 1e3, nbytes / peak * 1e6, "ethernet")

    return Expressed(row, "fabric", measured, forecast)


def host_row(row: Row) -> Expressed:
    """A buffer written to a device from the host, or read back, page by page."""
    words, text = f"{row.op} {row.table}".lower(), f"{row.shape}; {row.notes}"
    nbytes = _nbytes(text, "transfer_size", "transfer", "total", "buffer") or _largest(row)
    page = _nbytes(text, "page_size", "page") or nbytes
    reads = re.search(r"read|from_?device|device_?to_?host|d2h|device *-> *host", row.op.lower() or words) is not None
    measured = stated_us(row, nbytes)

    def forecast(chip: ChipDesc) -> Forecast:
        if chip.pcie is None:
            return Forecast(math.nan, math.nan, "pcie")
        ns = pcie_ns(chip.pcie, nbytes, page, to_device=not reads)
        return Forecast(ns / 1e3, nbytes / chip.pcie.peak_bytes_per_second * 1e6, "pcie")

    return Expressed(row, "host transfer", measured, forecast)
