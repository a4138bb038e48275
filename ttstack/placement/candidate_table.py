"""The candidates of an op as numbers."""

from collections.abc import Sequence

import numpy as np

from ttstack.device.layout import Layout
from ttstack.placement.pricing import Candidate
from ttstack.placement.problem import Counts


class CandidateTable:
    """Candidates in order, and the layouts in which they differ; made once for equal ops with equal surroundings."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        ops = [c.device_op for c in candidates]
        self.candidates = tuple(candidates)
        self.reads, self.needs = _numbered([op.operands for op in ops])
        """For each operand, the requested layouts; for each candidate, the index of its layout."""
        self.makes, self.gives = _numbered([op.results for op in ops])
        """For each result, the produced layouts; for each candidate, the index of its layout."""
        self.price_ns = np.array([c.price_ns for c in candidates])
        self.scratch = np.array([c.circular_buffer_bytes for c in candidates], dtype=np.int64)


def _numbered(rows: Sequence[tuple[Layout, ...]]) -> tuple[tuple[tuple[Layout, ...], ...], Counts]:
    """Return the different layouts of each column, and every row as numbers of these."""
    columns = [dict.fromkeys(column) for column in zip(*rows, strict=True)]
    numbers = [{layout: n for n, layout in enumerate(column)} for column in columns]
    indices = [[number[layout] for number, layout in zip(numbers, row, strict=True)] for row in rows]
    return tuple(map(tuple, columns)), np.array(indices, dtype=np.int64).reshape(len(rows), len(columns))
