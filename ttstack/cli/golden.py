"""The output of `run --golden` and `run --per-op`, and their exit codes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

if TYPE_CHECKING:
    from ttstack.compiled_program import Program, Run
    from ttstack.golden import OpDifference
    from ttstack_runtime.numerics import ValueDifference

GoldenOption = Annotated[
    Optional[str],  # noqa: UP045  (typer reads the annotation)
    typer.Option(
        "--golden",
        metavar="FILE|MODEL",
        help="Compare outputs with an .npz or .safetensors file, or with the model.",
        show_default=False,
        rich_help_panel="Comparison",
    ),
]
PerOpOption = Annotated[
    bool,
    typer.Option(
        "--per-op", help="Compare each op in the device's formats with exact values.", rich_help_panel="Comparison"
    ),
]
MinPccOption = Annotated[
    float,
    typer.Option(
        "--min-pcc",
        min=-1,
        max=1,
        metavar="PCC",
        help="With --golden: least correlation of an output.",
        rich_help_panel="Comparison",
    ),
]

_SHOWN = 12
"""Number of printed ops: those with the lowest correlation."""


@dataclass(frozen=True)
class ComparedRun:
    """Differences of a run from golden values; empty if not requested."""

    outputs: "Mapping[str, ValueDifference]" = field(default_factory=dict[str, Any])
    ops: "Sequence[OpDifference]" = ()
    min_pcc: float = 0.0

    @property
    def different(self) -> list[str]:
        """The names of outputs with low correlation."""
        return [name for name, found in self.outputs.items() if not found.pcc >= self.min_pcc]

    def values(self) -> dict[str, Any]:
        """Return the values for JSON; infinite differences are null."""
        outputs = {name: _plain(found) for name, found in self.outputs.items()}
        ops = [{**asdict(op), "values": _plain(op.values)} for op in self.ops]
        return ({"golden": outputs} if self.outputs else {}) | ({"per_op": ops} if self.ops else {})

    def show(self) -> None:
        """Print a row for each output, and for the ops with the lowest correlation."""
        from ttstack.cli.console import stdout, write, write_sentence
        from ttstack.cli.render import show

        if self.outputs:
            write("")
            show(stdout(), [{"output": name, **_row(found)} for name, found in self.outputs.items()])
            verdict = f"differs: {', '.join(self.different)}" if self.different else "all outputs agree"
            write_sentence(f"{verdict} (PCC of at least {self.min_pcc:g}); diff %: of the largest golden value")
        if self.ops:
            write("")
            least = sorted(self.ops, key=lambda op: op.values.pcc)[:_SHOWN]
            show(stdout(), [{"#": op.index, "op": op.name, **_row(op.values), "location": op.location} for op in least])
            rest = f", the {len(least)} that correlate least" if len(least) < len(self.ops) else ""
            count = f"{len(self.ops)} results of ops"
            write_sentence(f"{count} in the device's formats against the same program computed exactly{rest}")

    def end(self) -> None:
        """End the command with exit code 1 if an output differs."""
        if self.different:
            raise typer.Exit(1)


def compare_run(
    program: "Program",
    done: "Run | None",
    golden: str | None,
    inputs: Path | None,
    seed: int,
    function: str | None,
    *,
    per_op: bool,
    min_pcc: float,
) -> ComparedRun:
    """Compare a run as requested by the options."""
    if done is None or not (golden or per_op):
        return ComparedRun()
    from ttstack.golden import compare_ops, compare_outputs, golden_values
    from ttstack_runtime.inputs import load_inputs, random_inputs

    found = program.function(function)
    values = random_inputs(found, seed) if inputs is None else load_inputs(inputs, found)
    outputs = compare_outputs(done, golden_values(program, golden, values, function)) if golden else {}
    return ComparedRun(outputs, compare_ops(program, values, seed, function) if per_op else (), min_pcc)


def _row(found: "ValueDifference") -> dict[str, Any]:
    at = ",".join(map(str, found.index))
    return {
        "PCC": f"{found.pcc:.6f}",
        "largest diff": f"{found.largest:.3g}",
        "diff %": f"{100 * found.relative:.3g}",
        "at": f"[{at}]",
        "value": f"{found.value:.6g}",
        "golden": f"{found.expected:.6g}",
    }


def _plain(found: "ValueDifference") -> dict[str, Any]:
    from math import isfinite

    return {name: None if isinstance(v, float) and not isfinite(v) else v for name, v in asdict(found).items()}
