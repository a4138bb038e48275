"""Layouts of the cores of Tensor-Train tables on the device."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ttstack.ops.tensor_train import TensorTrainBagLookup, TensorTrainLookup
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Function, Tensor


def table_of(first_core: str) -> str:
    """Return the name of a table, from that of its first core: `users` of `users.core0` and `users.cores.0`."""
    return re.sub(r"\W?cores?\W?0$", "", first_core) or first_core


def with_cores(
    records: Sequence[EmbeddingTableReport], functions: Iterable[Function]
) -> tuple[EmbeddingTableReport, ...]:
    """Return the records with the cores' layouts and bytes, if a lookup reads them."""
    found = {name: cores for function in functions for name, cores in _cores(function)}
    return tuple(_with(record, found[record.table]) if record.table in found else record for record in records)


def _cores(function: Function) -> Iterator[tuple[str, list[Tensor]]]:
    for operation in function.operations:
        if operation.name in (TensorTrainLookup.mnemonic, TensorTrainBagLookup.mnemonic):
            order = operation.attributes["train"].plan.order
            cores = [function.tensors[i] for i in operation.operands[1 : 1 + order] if i is not None]
            yield table_of(cores[0].name), cores


def _with(record: EmbeddingTableReport, cores: Sequence[Tensor]) -> EmbeddingTableReport:
    layouts = tuple(f"{core.layout.memory_space}/{core.layout.memory_layout}" for core in cores)
    return replace(record, cores=layouts, device_bytes=sum(core.layout.nbytes(core.type) for core in cores))
