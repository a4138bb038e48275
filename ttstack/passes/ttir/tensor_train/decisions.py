"""Decisions on tables: whether to compress, the reason, and the effect."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ttstack.diagnostics import TensorTrainError
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType
from ttstack.options.tensor_train import TableSettings
from ttstack.passes.ttir.tensor_train.plans import best_candidate
from ttstack.passes.ttir.tensor_train.prices import dense_ns, train_ns
from ttstack.passes.ttir.tensor_train.tables import EmbeddingTable
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.system_desc import ChipDesc
from ttstack.tensor_train import TensorTrain, decompose

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class TableDecision:
    """The decision for a table, and its cores if it is replaced; a table without values has no cores."""

    table: EmbeddingTable
    record: EmbeddingTableReport
    train: TensorTrainType | None = None
    cores: TensorTrain | None = None


def decide(
    table: EmbeddingTable, settings: TableSettings | None, data: Array | None, chip: ChipDesc, dtype: DType | None
) -> TableDecision:
    """Decide on one table; `data` is None if it has no values.

    A table is decomposed only if spectra and predicted times favour it, and replaced only if the error of the stored
    cores is within the limit.
    """
    rows, columns = table.shape
    record = EmbeddingTableReport(
        table.name, rows, columns, str(table.type.dtype), len(table.lookups), table.type.nbytes
    )
    if (why := _left_alone(table, settings, data)) is not None or settings is None:
        return TableDecision(table, replace(record, reason=why or ""))
    try:
        return _plan(TableDecision(table, record), settings, data, chip, dtype)
    except TensorTrainError as e:
        return TableDecision(table, replace(record, reason="; ".join((e.diagnostic.message, *e.diagnostic.notes))))


def _left_alone(table: EmbeddingTable, settings: TableSettings | None, data: Array | None) -> str | None:
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


def _plan(
    decision: TableDecision, settings: TableSettings, data: Array | None, chip: ChipDesc, dtype: DType | None
) -> TableDecision:
    table = decision.table
    values = None if data is None else _readable(data.reshape(table.shape))
    candidate = best_candidate(table, settings, values)
    train = candidate.train
    record = replace(
        decision.record,
        row_factors=train.plan.row_factors,
        column_factors=train.plan.col_factors,
        ranks=train.plan.ranks[1:-1],
        bytes_after=sum(core.nbytes for core in train.cores),
        rel_error=candidate.least_error,
        ns_before=dense_ns(table, chip, dtype),
        ns_after=train_ns(table, train, chip, dtype),
    )
    decision = TableDecision(table, record, train)
    if reasons := (*candidate.reasons, *_slowdown(record, settings)):
        return replace(decision, record=replace(record, reason="; ".join(reasons)))
    if values is None:
        why = "as requested; without values, its error is unknown"
        return replace(decision, record=replace(record, reason=why, replaced=True))
    return _measure(decision, settings, values)


def _measure(decision: TableDecision, settings: TableSettings, values: Array) -> TableDecision:
    """Decompose, round the cores to the table's element type, and measure size, error and time."""
    assert decision.train is not None
    train = decision.train
    cores = decompose(values, train.plan, dtype=np.result_type(values.dtype, np.float32))
    stored = TensorTrain(cores.plan, tuple(core.astype(train.dtype.numpy) for core in cores.cores))
    error = stored.rel_error(values)
    train = TensorTrainType(replace(stored.plan, rel_error=None), train.dtype)
    record = replace(
        decision.record, rel_error=error, ranks=train.plan.ranks[1:-1], bytes_after=sum(c.nbytes for c in train.cores)
    )
    if cores.certificate is not None and stored.dtype == cores.dtype:
        record = replace(record, worst_row=cores.certificate.worst_row_error)
    if error > settings.rel_error:
        why = f"the error is {error:.3g} with cores in {train.dtype}, more than rel_error {settings.rel_error:g}"
        return replace(decision, record=replace(record, reason=why))
    return replace(
        decision, train=train, cores=stored, record=replace(record, replaced=True, reason="passes all tests")
    )


def _slowdown(record: EmbeddingTableReport, settings: TableSettings) -> Iterator[str]:
    factor = (record.ns_after or 0.0) / (record.ns_before or 1.0)
    if factor > settings.max_slowdown:
        yield f"lookups would take {factor:.2f} times as long, more than max_slowdown {settings.max_slowdown:g}"


def _readable(data: Array) -> Array:
    """Return the values in a type that NumPy supports; only bf16 is copied."""
    return data.astype(np.float32) if data.dtype == DType.BF16.numpy else data
