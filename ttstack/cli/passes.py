"""The list of passes and pipelines."""

from typing import TYPE_CHECKING, Any

from ttstack.passes.base import PASSES, Pass
from ttstack.passes.pipelines import PIPELINES

if TYPE_CHECKING:
    from rich.console import Console


def print_passes(console: "Console") -> None:
    """Print every pass with its options, then every pipeline with its passes."""
    from rich.table import Table

    table = Table("pass", "options", "what it does", box=None, pad_edge=False, header_style="bold")
    for name, spec in sorted(PASSES.items()):
        table.add_row(name, "\n".join(_options(spec)), _first_line(spec))
    console.print(table)
    console.print()
    table = Table("pipeline", "passes", box=None, pad_edge=False, header_style="bold")
    for name, make in PIPELINES.items():
        table.add_row(name, ", ".join(step.title for step in make().passes))
    console.print(table)
    console.print("\nMLIR's own passes go by their names too: canonicalize, cse, inline, ...")


def _options(spec: type[Pass]) -> list[str]:
    return [f"{_kebab(name)}={_default(field)}" for name, field in spec.model_fields.items()]


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _default(field: Any) -> str:
    return "<required>" if field.is_required() else str(field.default)


def _first_line(spec: type[Pass]) -> str:
    return (spec.__doc__ or "").strip().partition("\n")[0]
