"""Inlining of function calls."""

from dataclasses import dataclass, field

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.location import read_location
from ttstack.dialects.op_groups import clone_ops
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, defined_functions, functions


class InlineCalls(Pass, name="inline-calls"):
    """Inline all calls, and remove private functions.

    MLIR's inliner requires an interface that dialects defined in Python cannot implement.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite all public functions."""
        callees = {function.name.value: function for function in defined_functions(module)}
        calls = _Calls(callees)
        for function in functions(module):
            calls.expand(function)
        public = {function.name.value for function in functions(module)}
        for name, function in callees.items():
            if name not in public:
                function.operation.erase()


@dataclass
class _Calls:
    callees: dict[str, func.FuncOp]
    expanded: set[str] = field(default_factory=set[str])
    running: list[str] = field(default_factory=list[str])

    def expand(self, function: func.FuncOp) -> None:
        """Replace all calls in the function, callees first."""
        name = function.name.value
        if name in self.running:
            raise InvalidIRError(
                f"function '{name}' calls itself", loc=read_location(function.location), hint="unroll the recursion"
            )
        if name in self.expanded:
            return
        self.running.append(name)
        for op in body(function):
            if op.name == "func.call":
                self._replace(op)
        self.running.pop()
        self.expanded.add(name)

    def _replace(self, call: ir.Operation) -> None:
        name = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        if name not in self.callees:
            raise InvalidIRError(f"function '{name}' has no body", loc=read_location(call.location))
        self.expand(self.callees[name])
        *ops, last = body(self.callees[name])
        arguments = self.callees[name].regions[0].blocks[0].arguments
        values: dict[ir.Value, ir.Value] = dict(zip(arguments, call.operands, strict=True))
        with ir.InsertionPoint(call):
            clone_ops(ops, values)
        for result, returned in zip(call.results, last.operands, strict=True):
            result.replace_all_uses_with(values[returned])
        call.erase()
