"""Records as rows that people read."""

from collections.abc import Sequence

from examples.zoo.record import Record
from ttstack.report.formatting import duration, size

FIGURES = {
    "export s": "torch.export",
    "import s": "its graph as TTIR",
    "compile s": "passes and records",
    "cost s": "the prediction",
    "beyond": "largest memory of import, compile and cost beyond torch, the model and its export",
    "peak": "largest memory of the process",
    "torch ops": "calls in torch.export's graph",
    "device ops": "launches on the device",
    "f32 error": "largest difference to PyTorch over the largest value",
    "bf16": "PCC with PyTorch",
    "bfp8_b": "PCC with PyTorch",
    "predicted": "time on the device",
}
"""What the columns after the model's name show."""


def rows(records: Sequence[Record]) -> list[list[str]]:
    """One row a record: the model, then the figures; `-` for what was not measured."""
    return [[record.model, *_figures(record)] for record in records]


def _figures(record: Record) -> list[str]:
    seconds = [record.seconds.get(phase) for phase in ("export", "import", "compile", "cost")]
    pccs = [record.pcc.get(dtype) for dtype in ("bf16", "bfp8_b")]
    return [
        *("-" if s is None else f"{s:.2f}" for s in seconds),
        *("-" if n is None else size(n) for n in (record.beyond_bytes, record.peak_bytes)),
        *("-" if n is None else f"{n:,}" for n in (record.torch_ops, record.device_ops)),
        "-" if record.error is None else f"{record.error:.1e}",
        *("-" if p is None else f"{p:.5f}" for p in pccs),
        "-" if record.predicted_ns is None else duration(record.predicted_ns),
    ]
