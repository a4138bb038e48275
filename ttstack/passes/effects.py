"""The effect of each pass: ops, bytes of results and predicted time before and after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import definition, definition_of
from ttstack.mlir import ir
from ttstack.ops.base import Op
from ttstack.passes.base import PassRun
from ttstack.passes.functions import body, functions
from ttstack.passes.pass_log import PassSummary
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import parameters


@dataclass(frozen=True)
class PassEffect:
    """Measurements of a module after a pass."""

    name: str
    """Name of the pass; `source` for the input model."""
    stage: str | None
    """The stage of the pipeline; null outside of stages."""
    ops: int
    """Number of ops, without views, which cost nothing, and without ops on parameters, which are computed before a
    run."""
    nbytes: int
    """Bytes of the results of these ops, in the model's types."""
    alone_ns: float
    """Predicted time of all ops, each placed separately; placement saves more later."""
    applied: int
    """Number of rewrites that the pass applied."""
    declined: Mapping[str, int]
    """Number of rewrites that matched but were declined, by reason."""
    patterns: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    """By name of a user's pattern: how often it was `applied`, and declined by each reason."""


class PassEffects:
    """A hook that records the effect of each pass, until ops become loops over tiles."""

    def __init__(self) -> None:
        self.found: list[PassEffect] = []
        self._ended = False

    def __call__(self, step: PassRun, module: ir.Module) -> None:
        """Called after each pass."""
        self._ended |= step.step.title == "dispatch"
        prices = Prices.of(module)
        if self._ended or prices is None:
            return
        ops = list(_ops(module))
        now = (len(ops), sum(t.nbytes for op in ops for t in op.results), prices.sum_of(ops))
        last = self.found[-1] if self.found else None
        if last is None or step.outcomes or step.outcomes.patterns or now != (last.ops, last.nbytes, last.alone_ns):
            run = PassSummary.of(step)
            name = run.name if self.found else "source"
            self.found.append(PassEffect(name, run.stage, *now, run.applied, run.declined, run.patterns))


def _ops(module: ir.Module) -> Iterator[Op]:
    known = parameters()
    for function in functions(module):
        for op in body(function):
            spec = definition(op)
            if spec is None or not spec.executable or known.about(op.results[0]) is not None:
                continue
            if not is_view(found := definition_of(op)):
                yield found
