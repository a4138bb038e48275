"""Device descriptions: the fields of the models, and the presets with their sources."""

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ttstack.system_desc import ChipDesc, SystemDesc, load, presets
from ttstack.system_desc.calibration import UNMEASURED
from ttstack.system_desc.fields import figure_at
from ttstack.system_desc.releases import RELEASES
from ttstack.system_desc.sources import figures
from ttstack_docs.markdown import literal, summary, table

_UNIT = re.compile(r"(?P<what>.*?)[,;] (?P<unit>ratio in .*|[^,;]+)", re.DOTALL)


def device_fields() -> str:
    """A section for each model, from the system inwards."""
    parts: list[str] = []
    for path, model in models(SystemDesc):
        rows = [_field(name, field) for name, field in model.model_fields.items()]
        parts += [
            f"### {path or 'the system'}",
            summary(model),
            table(("field", "unit", "default", "what it is"), rows),
        ]
    return "\n\n".join(parts)


def models(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Every model below this one with the path at which it stands in a file."""
    yield path, model
    for name, field in model.model_fields.items():
        many = "[]" if get_args(field.annotation) and get_args(field.annotation)[-1] is Ellipsis else ""
        if (inner := _model_in(field.annotation)) is not None:
            yield from models(inner, f"{path}.{name}{many}".lstrip("."))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)


def _field(name: str, field: FieldInfo) -> tuple[str, str, str, str]:
    what, unit = split_unit(field.description or "")
    inner = _model_in(field.annotation)
    default = "required" if field.is_required() else "none" if not field.default else literal(field.default)
    return literal(name), unit, "see its section" if inner and not field.is_required() else default, what


def split_unit(description: str) -> tuple[str, str]:
    """What a field is and its unit, which every description ends with."""
    found = _UNIT.fullmatch(description.rstrip("."))
    return (found["what"], found["unit"]) if found else (description, "")


_REGIME = re.compile("_(short|data|math)")
"""What names of parts of a class have in them."""


def calibration_table(name: str) -> str:
    """How well a preset's predictions agree with measurements, by class."""
    found = load(name).chips[0].source_errors
    rows = (
        (
            kind.replace("_", " "),
            str(c.rows),
            f"{100 * c.error:.1f} %",
            f"{100 * c.bias:+.1f} %",
            f"{100 * c.roofline_error:.1f} %",
            f"{c.least_ns / 1e3:,.1f} to {c.most_ns / 1e3:,.1f} µs",
        )
        for kind, c in found.items()
    )
    return table(("measurements", "rows", "mean error", "bias", "mean error of the roofline", "measured times"), rows)


def accuracy_summary(name: str, board: str) -> str:
    """One sentence on how good predictions are: the mean over all published measurements of an architecture."""
    found = load(name).chips[0].source_errors
    classes = [of for kind, of in found.items() if not _REGIME.search(kind) and kind != UNMEASURED]
    rows = sum(of.rows for of in classes)
    error, roofline = (
        sum(of.rows * getattr(of, figure) for of in classes) / rows for figure in ("error", "roofline_error")
    )
    return (
        f"{board}: the mean error over {rows:,} published measurements of single ops is **{100 * error:.0f} %**, each "
        f"predicted by a model that was fitted without its source; the error of the roofline alone is "
        f"{100 * roofline:.0f} % ([by class](docs/accuracy-{board.lower()}.md))."
    )


def preset_table() -> str:
    """The presets, a row each."""
    rows: list[tuple[str, ...]] = []
    for name in presets():
        desc = load(name)
        chip = desc.chips[0]
        grids = ", ".join("x".join(map(str, c.grid)) for c in desc.chips)
        memory = f"{chip.l1.size_bytes // 1024} KiB", f"{chip.dram.num_channels} x {_gib(chip.dram.channel_size_bytes)}"
        peak = f"{chip.dram.peak_bytes_per_second / 1e9:g} GB/s"
        clock = f"{chip.clock_hz / 1e9:g} GHz"
        rows.append((literal(name), desc.name, chip.arch, str(desc.num_chips), grids, clock, *memory, peak))
    titles = ("preset", "board", "architecture", "chips", "worker grids", "clock", "L1 of a core")
    return table((*titles, "DRAM of a chip", "DRAM peak of a chip"), rows)


def _gib(nbytes: int) -> str:
    return f"{nbytes / 2**30:.3g} GiB"


def preset_values(name: str) -> str:
    """Every figure of the first chip of a preset with its source."""
    chip = load(name).chips[0]
    rows = [(literal(path), _value(chip, path), chip.source_of(path) or "none given") for path in figures(chip)]
    return table(("figure", "value", "source"), rows)


def release_table() -> str:
    """The releases of ttnn whose days are known."""
    rows = [(release.version, release.day, release.source) for release in RELEASES]
    return table(("release", "last known day", "source"), rows)


def revision_table(name: str) -> str:
    """Figures of the first chip of a preset that other releases have, beside its own."""
    chip = load(name).chips[0]
    rows = [
        (
            literal(row.figure),
            row.since or "",
            row.before or "",
            _revised(row.value),
            _own(chip, row.figure),
            row.source,
        )
        for row in chip.revisions
    ]
    return table(("figure", "since", "before", "value then", f"in {chip.ttnn}", "source"), rows)


def _own(chip: ChipDesc, path: str) -> str:
    value = figure_at(chip, path)
    return _revised(dict(value) if isinstance(value, BaseModel) else value)


def _revised(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_spelled(part)}" for name, part in value.items())
    return value if isinstance(value, str) else _spelled(value)


def _value(desc: Any, path: str) -> str:
    for part in path.split("."):
        desc = desc[part] if isinstance(desc, dict) else getattr(desc, part)
    return _spelled(desc)


def _spelled(value: Any) -> str:
    """As YAML has it, with separators between thousands."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_spelled, value))}]"
    whole = float(value).is_integer() and abs(value) < 1e10
    return f"{int(value):,}" if whole else f"{value:.10g}"
