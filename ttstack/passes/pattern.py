"""Rewrite patterns: functions from an op to what replaces it, run to a fixpoint by MLIR's greedy driver."""

from collections.abc import Callable, Sequence

from ttstack.mlir import ir, rewrite

Pattern = Callable[[ir.Operation], Sequence[ir.Value] | None]
"""Takes an operation and returns the values that replace its results, or None where the pattern does not match.

The insertion point and the location are the operation's while it runs."""


def apply_patterns(module: ir.Module, patterns: Sequence[tuple[str, Pattern]]) -> None:
    """Rewrite every op of the given names until no pattern matches."""
    patterns_set = rewrite.RewritePatternSet()
    for name, pattern in patterns:
        patterns_set.add(name, replace_by(pattern))
    config = rewrite.GreedyRewriteConfig()
    config.enable_folding = False
    rewrite.apply_patterns_and_fold_greedily(module, patterns_set.freeze(), config)


def replace_by(pattern: Pattern) -> Callable[[ir.OpView, rewrite.PatternRewriter], bool]:
    """The pattern as MLIR's driver takes it."""

    def run(op: ir.OpView, rewriter: rewrite.PatternRewriter) -> bool:
        with rewriter.ip, op.location:
            new = pattern(op.operation)
        if new is None:
            return True  # MLIR's "no match"
        rewriter.replace_op(op, list(new))
        return False

    return run
