"""What is measured of one model, as JSON holds it too."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

LARGEST_ERROR = 1e-3
"""In float32: the largest difference to PyTorch over the largest value of an output."""
LEAST_PCC = 0.99
"""In the formats of the device: correlation with PyTorch's outputs."""


@dataclass(frozen=True)
class Record:
    """One model in one size; fields that were not reached are None."""

    model: str
    size: str
    """`small` or `full`."""
    dtype: str
    """The format that times, memory, op counts and the prediction are of."""
    about: str = ""
    """What the factory says that it is."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """How long `export` (torch.export's own), `import`, `compile` and `cost` took."""
    beyond_bytes: int | None = None
    """Largest memory while it was imported, compiled and costed, beyond what torch, the model and its export hold."""
    peak_bytes: int | None = None
    """Largest memory of the whole process by then."""
    torch_ops: int | None = None
    """Calls in torch.export's graph."""
    device_ops: int | None = None
    """Launched on the device."""
    predicted_ns: float | None = None
    error: float | None = None
    """In float32, the largest over all outputs; None for models that are described only."""
    pcc: dict[str, float] = field(default_factory=dict[str, float])
    """By format of the device, the least over all outputs."""
    failure: str | None = None
    """Why it ended early."""

    def misses(self) -> list[str]:
        """What is not as it must be; empty where all is well."""
        if self.failure is not None:
            return [self.failure]
        wrong = [] if self.error is None or self.error < LARGEST_ERROR else [f"f32 is off by {self.error:.1e}"]
        return wrong + [f"PCC of {dtype} is {pcc:.4f}" for dtype, pcc in self.pcc.items() if not pcc >= LEAST_PCC]


def to_json(records: Sequence[Record], **about: str) -> dict[str, Any]:
    """All records, and `about` them: device, machine, command."""
    return {**about, "models": [asdict(record) for record in records]}


def from_json(data: dict[str, Any]) -> list[Record]:
    """The records of what `to_json` gave."""
    return [Record(**model) for model in data["models"]]
