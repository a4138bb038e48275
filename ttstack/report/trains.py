"""What became of embedding tables, as a table."""

from collections.abc import Sequence

from rich.table import Table

from ttstack.program.table_record import TableRecord
from ttstack.report.columns import GAP
from ttstack.report.text import duration, size

TITLES = ("table", "shape", "ranks", "bytes", "error", "lookups", "Tensor-Train")
_RIGHT = ("bytes", "error", "lookups")


def trains(records: Sequence[TableRecord]) -> Table:
    """A row for each table."""
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for title in TITLES:
        table.add_column(title, justify="right" if title in _RIGHT else "left", no_wrap=title != TITLES[-1])
    for record in records:
        table.add_row(*cells(record))
    return table


def cells(record: TableRecord) -> tuple[str, ...]:
    """What stands under `TITLES`: shape, ranks, bytes, error and predicted time of the lookups, and the reason."""
    return (
        record.table,
        f"{record.rows:,} x {record.columns}",
        "-" if record.ranks is None else " ".join(map(str, record.ranks)),
        _change(size(record.bytes_before), None if record.bytes_after is None else size(record.bytes_after)),
        "-" if record.rel_error is None else f"{record.rel_error:.2g}",
        "-" if record.ns_before is None else _change(duration(record.ns_before), duration(record.ns_after or 0)),
        f"{'yes' if record.replaced else 'no'}: {record.reason}",
    )


def _change(before: str, after: str | None) -> str:
    return before if after is None else f"{before} → {after}"
