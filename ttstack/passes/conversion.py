"""Dialect conversion that keeps callbacks alive and corrects MLIR's inverted match result."""

from collections.abc import Callable, Sequence

from ttstack.mlir import ir, rewrite

Lowering = Callable[[ir.Operation, Sequence[ir.Value]], Sequence[ir.Value] | None]
"""Lowers an operation with converted operands to the values that replace its results, or to None."""


class DialectConversion:
    """Conversion patterns from the ops of one dialect to another, with unchanged types."""

    def __init__(self) -> None:
        self._keep: list[object] = []
        self._types = rewrite.TypeConverter()
        self._convert(lambda t: t)
        self._patterns = rewrite.RewritePatternSet()
        self.target = rewrite.ConversionTarget()

    def _convert(self, convert: Callable[[ir.Type], ir.Type]) -> None:
        self._keep.append(convert)  # the bindings hold no reference to it
        self._types.add_conversion(convert)

    def add(self, name: str, lower: Lowering) -> None:
        """Lower every op of that name."""

        def pattern(
            op: ir.OpView, adaptor: ir.OpAdaptor, _types: rewrite.TypeConverter, rewriter: rewrite.PatternRewriter
        ) -> bool:
            with rewriter.ip, op.location:
                new = lower(op.operation, list(adaptor.operands))
            if new is None:
                return True  # MLIR's "no match"
            rewriter.replace_op(op, list(new)) if new else rewriter.erase_op(op)
            return False

        self._patterns.add_conversion(name, pattern, self._types)

    def apply(self, module: ir.Module) -> None:
        """Convert the module; remaining ops of illegal dialects are an error."""
        config = rewrite.ConversionConfig()
        rewrite.apply_partial_conversion(module.operation, self.target, self._patterns.freeze(), config)
