"""JSON output of `inspect`."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

FunctionSummary = TypedDict(
    "FunctionSummary",
    {
        "model": str,
        "input shape": str,
        "formats": str,
        "ops": int,
        "tensors": int,
        "inputs": dict[str, str],
        "outputs": dict[str, str],
        "l1 bytes spanned by addresses": int,
        "l1 bytes needed at least": int,
        "% of results that never leave l1": float,
    },
)
ProgramSummary = TypedDict(
    "ProgramSummary",
    {
        "made by": str,
        "for": str,
        "ttnn": str,
        "pipeline": str,
        "weights": int,
        "weight bytes": int,
        "ir stages": list[str],
        "functions": dict[str, FunctionSummary],
    },
)
OperationRow = TypedDict(
    "OperationRow",
    {
        "function": str,
        "#": int | None,
        "op": str,
        "operands": list[int | None],
        "results": list[int],
        "attributes": dict[str, Any],
        "grid": str,
        "spread": str,
        "fidelity": str,
        "config": dict[str, int | str],
        "circular buffer bytes": int,
        "location": str,
    },
)
TensorRow = TypedDict(
    "TensorRow",
    {
        "function": str,
        "#": int,
        "name": str,
        "kind": str,
        "type": str,
        "layout": str,
        "address": int,
        "alias": int | None,
    },
)
MemoryRow = TypedDict(
    "MemoryRow",
    {
        "function": str,
        "#": int | None,
        "op": str,
        "circular buffers": int,
        "l1": int,
        "l1 %": float,
        "dram": int,
        "dram %": float,
        "location": str,
    },
)
TrainingRow = TypedDict(
    "TrainingRow",
    {
        "function": str,
        "module": str,
        "parameters": int,
        "optimizer state": int,
        "activations": int,
        "gradients": int,
        "recomputation": NotRequired[dict[str, float | None]],
    },
)


class WeightRow(TypedDict):
    """A weight."""

    name: str
    type: str
    bytes: int
    sha256: str
    """The digest of its little-endian, row-major bytes; empty if the program has no values."""
