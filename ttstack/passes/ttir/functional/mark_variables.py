"""Parameters that one function writes to are variables in all others."""

from ttstack.dialects.signature import mark_variables, read_arguments
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.stages import Stage


class MarkVariables(Pass, name="mark-variables", stage=Stage.STATE):
    """Mark inputs that another function of the module writes to, so that no pass folds their values.

    Functions share parameters by name, such as the steps of two networks that are trained in turns.
    """

    def run(self, module: ir.Module) -> None:
        """Mark the arguments of every function."""
        named = {f: {a.name: v for a, v in zip(read_arguments(f), f.arguments, strict=True)} for f in functions(module)}
        written = {name for values in named.values() for name, value in values.items() if is_overwritten(value)}
        for function, values in named.items():
            if elsewhere := {name for name in written & values.keys() if not is_overwritten(values[name])}:
                mark_variables(function, elsewhere)
