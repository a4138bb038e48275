"""Records the cost of the model's own trains, compared with dense tables."""

from typing import Self

from ttstack.dialects.base import definition_of
from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.dialects.signature import read_arguments
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.embedding import Embedding, EmbeddingBag
from ttstack.ops.tensor_train import TensorTrainBagLookup, TensorTrainLookup
from ttstack.ops.types import DType
from ttstack.passes.base import Pass
from ttstack.passes.functions import TABLES, functions, system_desc
from ttstack.passes.rewriting.prices import alone_ns
from ttstack.passes.stages import Stage
from ttstack.passes.target import target_chip
from ttstack.placement import PlacementOptions
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.embedding_tables import table_of
from ttstack.system_desc import ChipDesc

_LOOKUPS = ("ttir.tensor_train_embedding", "ttir.tensor_train_embedding_bag")


class RecordTrains(
    Pass,
    name="record-trains",
    stage=Stage.TABLES,
    before={
        "embedding-bags-by-matmul": "the phase `simplified` ends before it",
        "merge-embedding-tables": "the phase `simplified` ends before it",
    },
):
    """Record tables that the model has in Tensor-Train form, for reports."""

    dtype: DType | None = None
    """Format of real numbers on the device; the model's own by default."""

    @classmethod
    def from_options(cls, options: PlacementOptions) -> Self:
        """Create the pass from the options of a compilation."""
        return cls(dtype=options.table_dtype)

    def run(self, module: ir.Module) -> None:
        """Record each table of each function once."""
        attributes = module.operation.attributes
        recorded = read_plain(attributes[TABLES]) if TABLES in attributes else []
        reports = {record["table"]: EmbeddingTableReport.of(record) for record in recorded}
        reported = set(reports)
        for function in functions(module):
            names = [argument.name for argument in read_arguments(function)]
            chip = target_chip(function, system_desc(module))
            for op in (op.operation for op in function.regions[0].blocks[0].operations):
                if op.name in _LOOKUPS and (name := _table(op, names)) not in reported:
                    reports[name] = _with_lookup(reports.get(name), name, definition_of(op), chip, self.dtype)
        if reports or recorded:
            attributes[TABLES] = plain_attribute([record.known_fields() for record in reports.values()])


def _table(op: ir.Operation, names: list[str]) -> str:
    """Return the table whose first core the lookup reads."""
    first = op.operands[1]
    if not isinstance(first.owner, ir.Block):
        return "table"
    return table_of(names[first.arg_number])


def _with_lookup(
    record: EmbeddingTableReport | None, name: str, op: Op, chip: ChipDesc, dtype: DType | None
) -> EmbeddingTableReport:
    assert isinstance(op, TensorTrainLookup | TensorTrainBagLookup)
    train = op.train
    return EmbeddingTableReport(
        table=name,
        rows=train.plan.rows,
        columns=train.plan.cols,
        element=str(train.dtype),
        lookups=1 + (record.lookups if record else 0),
        bytes_before=train.table.nbytes,
        replaced=True,
        reason="in this form in the model",
        row_factors=train.plan.row_factors,
        column_factors=train.plan.col_factors,
        ranks=train.plan.ranks[1:-1],
        bytes_after=sum(core.nbytes for core in train.cores),
        ns_before=alone_ns(_dense(op), chip, dtype) + ((record.ns_before or 0.0) if record else 0.0),
        ns_after=alone_ns(op, chip, dtype) + ((record.ns_after or 0.0) if record else 0.0),
    )


def _dense(op: TensorTrainLookup | TensorTrainBagLookup) -> Op:
    """Return the lookup in the dense table."""
    if isinstance(op, TensorTrainLookup):
        return Embedding(input=op.indices, weight=op.train.table)
    rest = list(op.inputs[op.train.plan.order :])
    return EmbeddingBag(
        input=op.indices,
        weight=op.train.table,
        offsets=rest.pop(0) if op.has_offsets else None,
        per_sample_weights=rest.pop() if op.has_weights else None,
        mode=op.mode,
        include_last_offset=op.include_last_offset,
        padding_idx=op.padding_idx,
    )
