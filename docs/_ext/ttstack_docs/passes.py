"""Passes and pipelines."""

from collections.abc import Iterator
from typing import Any

from ttstack.passes.base import PASSES, Builtin, Pass
from ttstack.passes.pipelines import PIPELINES
from ttstack.passes.scheduling import passes_of
from ttstack.passes.stages import Stage
from ttstack_docs.markdown import literal, paragraph, table


def pass_table() -> str:
    """Every pass of ours with its options and what it does, in the order in which the pipeline runs them."""
    order = [step.name for step in PIPELINES["ttir-to-ttnn"]().passes if not isinstance(step, Builtin)]
    names = [*dict.fromkeys(order), *sorted(set(PASSES) - set(order))]
    return table(("pass", "optional", "options", "what it does"), [_row(PASSES[name]) for name in names])


def _row(spec: type[Pass]) -> tuple[str, ...]:
    options = [f"{literal(name.replace('_', '-'))}, {_default(f)}" for name, f in spec.model_fields.items()]
    return literal(spec.name), "yes" if spec.optional else "", "<br>".join(options), paragraph(spec)


def _default(field: Any) -> str:
    return "required" if field.is_required() else f"default {literal(field.default)}"


def stage_table() -> str:
    """Every stage with what holds after it, its passes, and why some come before others."""
    rows = [(literal(s.title), s.holds, _passes(s), "<br>".join(_reasons(s))) for s in Stage]
    return table(("stage", "after it", "passes", "order"), rows)


def _passes(stage: Stage) -> str:
    return ", ".join(map(literal, (*(spec.name for spec in passes_of(stage)), *stage.cleanup)))


def _reasons(stage: Stage) -> Iterator[str]:
    members = {spec.name: spec for spec in passes_of(stage)}
    for name, spec in members.items():
        for side, others in (("before", spec.before), ("after", spec.after)):
            for other, reason in others.items():
                if other in members:
                    yield f"{literal(name)} {side} {literal(other)}: {reason}"


def pipeline_table() -> str:
    """Every pipeline with its passes."""
    rows = [(literal(name), paragraph(make), _steps(make)) for name, make in PIPELINES.items()]
    return table(("pipeline", "what it does", "passes"), rows)


def _steps(make: Any) -> str:
    return ", ".join(literal(step.title) for step in make().passes)
