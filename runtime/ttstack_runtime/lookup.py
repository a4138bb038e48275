"""Lookups in tables that are held in another format than kernels take: only picked rows are converted."""

from typing import Any

import numpy as np

from ttstack.program.records import Operation
from ttstack_runtime.kernels.table import Array

TABLE = 1
"""The place of the table among the operands of every lookup."""

LOOKUPS = frozenset({"embedding", "embedding_bag"})


def is_sparse(operation: Operation, indices: int, rows: int) -> bool:
    """Whether the operation reads some rows of its table and not most of them."""
    return operation.name in LOOKUPS and indices < rows


def pick_rows(indices: Array, table: Array) -> tuple[Array, Array, Array] | None:
    """Indices into the picked rows, these rows, and where they stood; None where an index is out of range."""
    rows = table.reshape(-1, table.shape[-1])
    positions, compact = np.unique(indices, return_inverse=True)
    if positions.size and not 0 <= positions[0] <= positions[-1] < len(rows):
        return None
    return compact.reshape(indices.shape), rows[positions], positions


def move_padding(attributes: dict[str, Any], positions: Array) -> dict[str, Any]:
    """The attributes with `padding_idx` counted among the picked rows, -1 where it was not picked."""
    if attributes.get("padding_idx", -1) == -1:
        return attributes
    found = np.flatnonzero(positions == attributes["padding_idx"])
    return attributes | {"padding_idx": int(found[0]) if found.size else -1}
