"""The outcome of embedding tables that were considered for Tensor-Train form, as a table."""

from collections.abc import Sequence

from rich.table import Table

from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.report.fit import GAP
from ttstack.report.formatting import duration, size

TITLES = ("table", "shape", "ranks", "bytes", "on the device", "error", "lookups", "Tensor-Train")
_PLACES = {"dram/interleaved": "DRAM", "l1/interleaved": "L1", "l1/height_sharded": "slices", "l1/replicated": "copies"}
"""Names of the locations of cores in reports: copies and slices are in L1."""

_RIGHT = ("bytes", "error", "lookups")


def trains(records: Sequence[EmbeddingTableReport]) -> Table:
    """Return a row for each table."""
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in TITLES:
        table.add_column(title, justify="right" if title in _RIGHT else "left", no_wrap=title != TITLES[-1])
    for record in records:
        table.add_row(*cells(record))
    return table


def cells(record: EmbeddingTableReport) -> tuple[str, ...]:
    """Return the cells under `TITLES`: shape, ranks, bytes, cores, error, lookup time and reason."""
    return (
        record.table,
        f"{record.rows:,} x {record.columns}",
        "-" if record.ranks is None else " ".join(map(str, record.ranks)),
        _change(size(record.bytes_before), None if record.bytes_after is None else size(record.bytes_after)),
        _on_device(record),
        "-" if record.rel_error is None else f"{record.rel_error:.2g}",
        "-" if record.ns_before is None else _change(duration(record.ns_before), duration(record.ns_after or 0)),
        f"{'yes' if record.replaced else 'no'}: {record.reason}",
    )


def _on_device(record: EmbeddingTableReport) -> str:
    """Return the bytes with padding, and the location of each core."""
    if record.device_bytes is None or record.cores is None:
        return "-"
    places = record.cores[:1] if len(set(record.cores)) == 1 else record.cores
    return f"{size(record.device_bytes)}, {' '.join(_PLACES.get(core, core) for core in places)}"


def _change(before: str, after: str | None) -> str:
    return before if after is None else f"{before} → {after}"
