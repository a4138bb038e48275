"""Whether a table becomes a train, why, and what that changes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ttstack.diagnostics import TensorTrainError
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import TILE, DType
from ttstack.passes.ttir.tensor_train.prices import dense_ns, device_bytes, train_ns
from ttstack.passes.ttir.tensor_train.settings import TableSettings
from ttstack.passes.ttir.tensor_train.tables import Table
from ttstack.program.table_record import TableRecord
from ttstack.system_desc import ChipDesc
from ttstack.tensor_train import TensorTrain, analyze, decompose, plan

Array = np.ndarray[Any, Any]

MOST_BYTES = 0.5
"""Of a table's bytes that its cores may take."""


@dataclass(frozen=True)
class Decision:
    """What becomes of a table, and its cores where it is replaced; a table that was only described gives no values."""

    table: Table
    record: TableRecord
    train: TensorTrainType | None = None
    cores: TensorTrain | None = None


def decide(
    table: Table, settings: TableSettings | None, data: Array | None, chip: ChipDesc, dtype: DType | None
) -> Decision:
    """The decision on one table; `data` is None where it was only described.

    Nothing is decomposed before everything that spectra and predicted times tell speaks for it, and nothing is
    replaced whose error, measured with the cores as they are stored, is above the one that is allowed.
    """
    rows, columns = table.shape
    record = TableRecord(table.name, rows, columns, str(table.type.dtype), len(table.lookups), table.type.nbytes)
    if (why := _left_alone(table, settings, data)) is not None or settings is None:
        return Decision(table, replace(record, reason=why or ""))
    try:
        return _planned(Decision(table, record), settings, data, chip, dtype)
    except TensorTrainError as e:
        return Decision(table, replace(record, reason="; ".join((e.diagnostic.message, *e.diagnostic.notes))))


def _left_alone(table: Table, settings: TableSettings | None, data: Array | None) -> str | None:
    rows, _ = table.shape
    if settings is None:
        return "the settings leave it alone"
    if not isinstance(table.type.dtype, DType) or not table.type.dtype.is_float:
        return f"holds {table.type.dtype}, no real numbers"
    if rows < settings.min_rows:
        return f"has {rows:,} rows, fewer than min_rows {settings.min_rows:,}"
    if table.others:
        first, *more = table.others
        return f"is also read by {first}{f' and {len(more)} more' if more else ''}"
    if data is None and settings.ranks is None and settings.max_bytes is None:
        return "was only described: without values it can be planned by ranks or max_bytes alone"
    return None


def _planned(
    found: Decision, settings: TableSettings, data: Array | None, chip: ChipDesc, dtype: DType | None
) -> Decision:
    table = found.table
    values = None if data is None else _readable(data.reshape(table.shape))
    train = _train(table, settings, values)
    record = replace(
        found.record,
        row_factors=train.plan.row_factors,
        column_factors=train.plan.col_factors,
        ranks=train.plan.ranks[1:-1],
        bytes_after=sum(core.nbytes for core in train.cores),
        ns_before=dense_ns(table, chip, dtype),
        ns_after=train_ns(table, train, chip, dtype),
    )
    found = Decision(table, record, train)
    if (why := _does_not_pay(record, settings)) is not None:
        return replace(found, record=replace(record, reason=why))
    if values is None:
        why = "as asked for; without values, its error is not known"
        return replace(found, record=replace(record, reason=why, replaced=True))
    return _measured(found, settings, values)


def _train(table: Table, settings: TableSettings, values: Array | None) -> TensorTrainType:
    """The shape and ranks that the settings ask for; of ranks as they are needed, and of whole tiles, what is smaller.

    Columns are factored so that slices are whole tiles where they can be.
    """
    dtype = table.type.dtype
    assert isinstance(dtype, DType)
    ranks = settings.ranks or ()
    shape = plan(*table.shape, ranks=1, target=(TILE, TILE), order=len(ranks) + 1 if len(ranks) > 1 else 3)
    factors: dict[str, Any] = {"row_factors": shape.row_factors, "col_factors": shape.col_factors}
    asked: dict[str, Any] = factors if values is None else {"analysis": analyze(values, **factors)}
    held = np.dtype(np.float16) if dtype is DType.BF16 else dtype.numpy
    plans = [
        plan(*table.shape, **_request(settings), **asked, target=target, dtype=held) for target in (None, (TILE, TILE))
    ]
    trains = [TensorTrainType(replace(made, rel_error=None), dtype) for made in plans]
    return min(trains, key=device_bytes)


def _request(settings: TableSettings) -> dict[str, Any]:
    if settings.ranks:
        first, *more = settings.ranks
        return {"ranks": settings.ranks if more else first}
    return {"rel_error": settings.rel_error} if settings.max_bytes is None else {"max_bytes": settings.max_bytes}


def _measured(found: Decision, settings: TableSettings, values: Array) -> Decision:
    """Decompose, round the cores to the table's element type, and measure what they give."""
    assert found.train is not None
    train = found.train
    cores = decompose(values, train.plan, dtype=np.result_type(values.dtype, np.float32))
    stored = TensorTrain(cores.plan, tuple(core.astype(train.dtype.numpy) for core in cores.cores))
    error = stored.rel_error(values)
    train = TensorTrainType(replace(stored.plan, rel_error=None), train.dtype)
    record = replace(
        found.record, rel_error=error, ranks=train.plan.ranks[1:-1], bytes_after=sum(c.nbytes for c in train.cores)
    )
    if error > settings.rel_error:
        why = f"the error is {error:.3g} with cores in {train.dtype}, more than rel_error {settings.rel_error:g}"
        return replace(found, record=replace(record, reason=why))
    return replace(found, train=train, cores=stored, record=replace(record, replaced=True, reason="passes all tests"))


def _does_not_pay(record: TableRecord, settings: TableSettings) -> str | None:
    assert record.bytes_after is not None
    if record.bytes_after > MOST_BYTES * record.bytes_before:
        return f"cores would take {record.bytes_after:,} bytes, more than half of the table's {record.bytes_before:,}"
    factor = (record.ns_after or 0.0) / (record.ns_before or 1.0)
    if factor > settings.max_slowdown:
        return f"lookups would take {factor:.2f} times as long, more than max_slowdown {settings.max_slowdown:g}"
    return None


def _readable(data: Array) -> Array:
    """The values in a type that NumPy computes with; a copy only of bf16."""
    return data.astype(np.float32) if data.dtype == DType.BF16.numpy else data
