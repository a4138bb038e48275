"""What each pass made of a module: ops, bytes of results and predicted time, before and after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
    """A module after a pass."""

    name: str
    """The pass's; `source` for the module as it was read."""
    stage: str | None
    """The stage of the pipeline; null of a pass that is in none."""
    ops: int
    """Ops but for views, which cost nothing, and for what parameters decide, which is computed before a run."""
    nbytes: int
    """Bytes of the results of these, as the model has them."""
    alone_ns: float
    """Predicted time of all of them, each placed by itself: what placement saves comes later."""
    applied: int
    """Rewrites that the pass applied."""
    declined: Mapping[str, int]
    """Rewrites that matched and were not applied, by the reason."""


class PassEffects:
    """A hook that notes what each pass changed, up to where ops become loops over tiles."""

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
        if last is None or step.outcomes or now != (last.ops, last.nbytes, last.alone_ns):
            run = PassSummary.of(step)
            name = run.name if self.found else "source"
            self.found.append(PassEffect(name, run.stage, *now, run.applied, run.declined))


def _ops(module: ir.Module) -> Iterator[Op]:
    known = parameters()
    for function in functions(module):
        for op in body(function):
            spec = definition(op)
            if spec is None or not spec.executable or known.about(op.results[0]) is not None:
                continue
            if not is_view(found := definition_of(op)):
                yield found
