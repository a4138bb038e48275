"""The list of passes and pipelines."""

from typing import TYPE_CHECKING, Any

from ttstack.cli.printed.files import KnownPassesJson
from ttstack.passes.base import PASSES, Pass
from ttstack.passes.pipelines import PIPELINES

if TYPE_CHECKING:
    from rich.console import Console


def all_passes() -> KnownPassesJson:
    """Every pass with its options, and every pipeline with its passes."""
    return {
        "passes": {
            name: {"options": _options(spec), "about": (spec.__doc__ or "").strip().partition("\n")[0]}
            for name, spec in sorted(PASSES.items())
        },
        "pipelines": {name: [step.title for step in make().passes] for name, make in PIPELINES.items()},
    }


def print_passes(console: "Console") -> None:
    """Print them as tables."""
    from rich.table import Table

    found = all_passes()
    table = Table("pass", "options", "what it does", box=None, pad_edge=False, header_style="bold")
    for name, spec in found["passes"].items():
        table.add_row(name, "\n".join(f"{option}={value}" for option, value in spec["options"].items()), spec["about"])
    console.print(table)
    console.print()
    table = Table("pipeline", "passes", box=None, pad_edge=False, header_style="bold")
    for name, steps in found["pipelines"].items():
        table.add_row(name, ", ".join(steps))
    console.print(table)
    console.print("\nMLIR's own passes go by their names too: canonicalize, cse, inline, ...")


def _options(spec: type[Pass]) -> dict[str, str]:
    return {name.replace("_", "-"): _default(field) for name, field in spec.model_fields.items()}


def _default(field: Any) -> str:
    return "<required>" if field.is_required() else str(field.default)
