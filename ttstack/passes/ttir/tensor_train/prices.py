"""Predicted time of lookups in a dense table and in a train, with the placement that the compiler would choose."""

from ttstack.device.layout import Layout, storage
from ttstack.dialects.base import definition_of
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.ops.embedding import EmbeddingBag
from ttstack.ops.tensor_train import TensorTrainBagLookup, TensorTrainLookup
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType
from ttstack.passes.rewriting.prices import alone_ns
from ttstack.passes.ttir.tensor_train.tables import EmbeddingTable
from ttstack.system_desc import ChipDesc


def dense_ns(table: EmbeddingTable, chip: ChipDesc, dtype: DType | None) -> float:
    """Return the predicted nanoseconds of all lookups in the dense table."""
    return sum(alone_ns(definition_of(lookup.op), chip, dtype) for lookup in table.lookups)


def train_ns(table: EmbeddingTable, train: TensorTrainType, chip: ChipDesc, dtype: DType | None) -> float:
    """Return the predicted nanoseconds of all lookups with the table as a train."""
    return sum(alone_ns(in_train(lookup.op, train), chip, dtype) for lookup in table.lookups)


def in_train(op: ir.Operation, train: TensorTrainType) -> Op:
    """Return the lookup in a train that replaces a dense one."""
    dense = definition_of(op)
    if not isinstance(dense, EmbeddingBag):
        return TensorTrainLookup(indices=dense.operands[0], cores=train.cores, train=train)
    vectors = [t for t in (dense.offsets, dense.per_sample_weights) if t is not None]
    return TensorTrainBagLookup(
        indices=dense.input,
        inputs=(*train.cores, *vectors),
        train=train,
        mode=dense.mode,
        include_last_offset=dense.include_last_offset,
        padding_idx=dense.padding_idx,
    )


def device_bytes(train: TensorTrainType) -> int:
    """Return the bytes of the cores on the device: the first in rows, the others in tiles with padding."""
    first, *others = train.cores
    return Layout(storage(train.dtype), tiled=False).nbytes(first) + sum(
        Layout(storage(train.dtype)).nbytes(core) for core in others
    )
