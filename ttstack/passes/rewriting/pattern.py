"""The driver of rewrites: functions from an op to its replacement, applied until none matches."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from warnings import warn

from ttstack.diagnostics import TTStackWarning
from ttstack.dialects.built_ops import erase_leftovers, record_ops
from ttstack.mlir import ir, rewrite
from ttstack.passes.base import digest
from ttstack.passes.functions import replace_ops
from ttstack.passes.outcomes import APPLIED
from ttstack.passes.rewrite_log import current_log, may_rewrite, note_attempt, note_near_miss
from ttstack.passes.rewriting.near_miss import trace_condition

Pattern = Callable[[ir.Operation], Sequence[ir.Value] | None]
"""Takes an operation and returns the values that replace its results, or None if the pattern does not match.

While it runs, insertion point and location are those of the operation. Ops built before it returns None are erased, and
it is not tried on that operation again."""

SWEEPS = 100
"""Number of sweeps after which rewrites are considered endless, even if no state of the module repeats."""
_QUIET_SWEEPS = 10
"""Number of sweeps within which nearly all rewrites end; repeated states are detected only after them."""
MOST_REWRITES = 50_000
"""Number of rewrites after which a pattern that matches its own result is considered endless."""
_DECLINED = "ttstack.declined"
"""The attribute with the names of rewrites that built ops for an op and then declined."""


def apply_patterns(module: ir.Module, patterns: Sequence[tuple[str, Pattern]]) -> None:
    """Rewrite every op of the given names until no pattern matches.

    If rewrites do not end, the module is restored without them, and a warning names them.
    """
    chosen, replaced = list(patterns), list[Sequence[ir.Operation]]()  # patterns may hold values of replaced ops
    while endless := (driver := _RewriteDriver(chosen)).run(module):
        names = " and ".join(f"'{name}'" for name in sorted(endless))
        warn(f"rewrites do not end: {names}; the module stays as it was before them", TTStackWarning, stacklevel=2)
        chosen = [(op_name, pattern) for op_name, pattern in chosen if rewrite_name(pattern) not in endless]
        replaced.append(replace_ops(module, driver.before))


def rewrite_name(pattern: Pattern) -> str:
    """Return the name of the function that is the pattern, such as `canonicalize_movement.movement`."""
    while isinstance(pattern, partial) and not hasattr(pattern, "__name__"):
        pattern = pattern.func
    file = getattr(pattern, "__module__", type(pattern).__module__).rpartition(".")[2]
    return f"{file}.{getattr(pattern, '__name__', type(pattern).__name__).lstrip('_')}"


class _RewriteDriver:
    """MLIR's greedy driver, one sweep at a time."""

    def __init__(self, patterns: Iterable[tuple[str, Pattern]]) -> None:
        self.before: Sequence[ir.Operation] = ()
        """The functions of the module before the first rewrite."""
        self._rewrites, self._has_declined = Counter[str](), False
        rewrites = rewrite.RewritePatternSet()
        for op_name, pattern in patterns:
            rewrites.add(op_name, replace_by(partial(self._try, pattern, rewrite_name(pattern))))
        self._patterns = rewrites.freeze()

    def run(self, module: ir.Module) -> set[str]:
        """Rewrite until no pattern matches, once; return the names of rewrites that do not end."""
        self._module = module
        try:
            endless = self._sweep_all()
        finally:
            del self._patterns  # MLIR holds the patterns, which hold this object: no collector sees that circle
        if self._has_declined:
            module.operation.walk(_forget_declined)
        return endless

    def _sweep_all(self) -> set[str]:
        seen: dict[bytes, Counter[str]] = {}
        for sweep in count():
            before = self._rewrites.copy()
            if drive(self._module, self._patterns, sweeps=1, rewrites=MOST_REWRITES):
                return set()
            if sweep >= _QUIET_SWEEPS:
                start = seen.setdefault(digest(self._module), self._rewrites.copy())
                if (repeated := self._rewrites - start) or sweep >= SWEEPS:
                    return set(repeated or self._rewrites - before)
        raise AssertionError

    def _try(self, pattern: Pattern, name: str, op: ir.Operation) -> Sequence[ir.Value] | None:
        declined = _declined(op) if self._has_declined else []
        if name in declined or not may_rewrite():
            return None
        with record_ops() as built:
            values = _explained(pattern, name, op)
        if values is not None:
            self.before = self.before or _clone(self._module)
            self._rewrites[name] += 1
            note_attempt(op, APPLIED, rewrite=name)
        elif built:
            erase_leftovers(built)
            self._has_declined = True
            op.attributes[_DECLINED] = ir.ArrayAttr.get([ir.StringAttr.get(n) for n in (*declined, name)])
        return values


def _explained(pattern: Pattern, name: str, op: ir.Operation) -> Sequence[ir.Value] | None:
    """Call a pattern; where the log asks for it, note the condition that an op without a match did not fulfil."""
    log = current_log()
    if log is None or not log.explains():
        return pattern(op)
    before = len(log.attempts)
    values, condition = trace_condition(_function(pattern), lambda: pattern(op))
    if values is None and len(log.attempts) == before:
        note_near_miss(op, condition, rewrite=name)
    return values


def _function(pattern: Pattern) -> Callable[..., object]:
    """The function of a pattern, behind what binds its arguments."""
    while isinstance(pattern, partial):
        pattern = getattr(pattern, "__wrapped__", pattern.func)
    return pattern


def _clone(module: ir.Module) -> Sequence[ir.Operation]:
    return [op.operation.clone(ip=False).operation for op in module.body.operations]


def _declined(op: ir.Operation) -> list[str]:
    return (
        [ir.StringAttr(a).value for a in ir.ArrayAttr(op.attributes[_DECLINED])] if _DECLINED in op.attributes else []
    )


def _forget_declined(op: ir.Operation) -> ir.WalkResult:
    if _DECLINED in op.attributes:
        del op.attributes[_DECLINED]
    return ir.WalkResult.ADVANCE


def drive(module: ir.Module, patterns: rewrite.FrozenRewritePatternSet, *, sweeps: int, rewrites: int) -> bool:
    """Apply patterns by MLIR's driver.

    Return False if they still match after the maximum number of sweeps or rewrites.
    """
    config = rewrite.GreedyRewriteConfig()
    config.enable_folding = False
    config.max_iterations, config.max_num_rewrites = sweeps, rewrites
    try:
        rewrite.apply_patterns_and_fold_greedily(module, patterns, config)
    except RuntimeError as e:
        if "failed to converge" not in str(e):
            raise
        return False
    return True


def replace_by(pattern: Pattern) -> Callable[[ir.OpView, rewrite.PatternRewriter], bool]:
    """Return the pattern as a callback of MLIR's driver."""

    def run(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> bool:
        with rewriter.ip, op.location:
            new = pattern(op.operation)
        if new is None:
            return True  # MLIR's "no match"
        rewriter.replace_op(op, list(new))
        return False

    return run
