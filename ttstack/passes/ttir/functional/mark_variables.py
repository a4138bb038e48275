"""Parameters that one function writes to are variables in all others."""

from ttstack.dialects.signature import mark_variables, read_arguments
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.stages import Stage


class MarkVariables(Pass, name="mark-variables", stage=Stage.STATE):
    """Keep what one function of a module writes to an input of the others: no pass computes with its value.

    Functions share parameters of one name, as the steps of two networks that are trained in turns do.
    """

    def run(self, module: ir.Module) -> None:
        """Note it of the arguments of every function."""
        named = {f: {a.name: v for a, v in zip(read_arguments(f), f.arguments, strict=True)} for f in functions(module)}
        written = {name for values in named.values() for name, value in values.items() if is_overwritten(value)}
        for function, values in named.items():
            if elsewhere := {name for name in written & values.keys() if not is_overwritten(values[name])}:
                mark_variables(function, elsewhere)
