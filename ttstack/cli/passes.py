"""The list of passes and pipelines."""

from typing import TYPE_CHECKING, Any

from ttstack.cli.printed.files import KnownPassesJson, PassJson
from ttstack.passes.base import PASSES, Pass
from ttstack.passes.pipelines import PIPELINES

if TYPE_CHECKING:
    from rich.console import Console


def all_passes() -> KnownPassesJson:
    """List every pass with its options, and every pipeline with its passes."""
    return {
        "passes": {
            name: {
                "options": _options(spec),
                "about": (spec.__doc__ or "").strip().partition("\n")[0],
                "optional": spec.optional,
            }
            for name, spec in sorted(PASSES.items())
        },
        "pipelines": {name: [step.title for step in make().passes] for name, make in PIPELINES.items()},
    }


def print_passes(console: "Console") -> None:
    """Print them as tables."""
    from rich.table import Table

    known = all_passes()
    for title, optional in (("optional pass", True), ("other pass", False)):
        table = Table(title, "what it does", box=None, pad_edge=False, header_style="bold")
        for name, spec in known["passes"].items():
            if spec["optional"] is optional:
                table.add_row(name, _about(spec))
        console.print(table)
        console.print()
    table = Table("pipeline", "passes", box=None, pad_edge=False, header_style="bold")
    for name, steps in known["pipelines"].items():
        table.add_row(name, ", ".join(steps))
    console.print(table)
    console.print("\n`ttstack compile --without NAME` skips an optional pass.")
    console.print("MLIR's own passes have their own names: canonicalize, cse, inline, ...")


def _about(spec: PassJson) -> str:
    """Return a pass's description, and its options with their defaults."""
    options = " ".join(f"{option}={value}" for option, value in spec["options"].items())
    return f"{spec['about']}\nOptions: {options}" if options else spec["about"]


def _options(spec: type[Pass]) -> dict[str, str]:
    return {name.replace("_", "-"): _default(field) for name, field in spec.model_fields.items()}


def _default(field: Any) -> str:
    return "<required>" if field.is_required() else str(field.default)
