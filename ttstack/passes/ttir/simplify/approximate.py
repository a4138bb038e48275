"""The device's fast approximations of functions, on request, as values differ."""

from typing import Annotated

from pydantic import BeforeValidator

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.options.choices import Approximation
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions

_FAST = {Approximation.GELU: (("gelu", "gelu_tanh"), "gelu_fast")}
"""For each function, the exact ops and the fast one."""


_ACTIVATIONS = ("activation", "lhs_activation", "rhs_activation")
"""Attributes with the activations of matmuls, convolutions and binary ops."""


def _names(value: object) -> object:
    return value.split("+") if isinstance(value, str) else value


class Approximate(Pass, name="approximate"):
    """Use the device's fast form of functions such as GELU, as ops and as activations of other ops."""

    names: Annotated[tuple[Approximation, ...], BeforeValidator(_names)] = ()

    def run(self, module: ir.Module) -> None:
        """Rewrite every op of every function."""
        fast = {name: target for asked in self.names for names, target in [_FAST[asked]] for name in names}
        for function in functions(module):
            for op in body(function):
                _replace(op, fast)

    def __str__(self) -> str:
        return f"{self.name}{{names={'+'.join(self.names)}}}" if self.names else self.name


def _replace(op: ir.Operation, fast: dict[str, str]) -> None:
    for place in _ACTIVATIONS:
        if place in op.attributes and (target := fast.get(ir.StringAttr(op.attributes[place]).value)):
            op.attributes[place] = ir.StringAttr.get(target)
    if target := fast.get(op.name.removeprefix("ttir.")):
        with insert_before(op):
            (result,) = ir.Operation.create(
                f"ttir.{target}", results=[op.results[0].type], operands=list(op.operands)
            ).results
        op.results[0].replace_all_uses_with(result)
        op.erase()
