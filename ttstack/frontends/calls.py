"""Limits on function calls, which are inlined before all else."""

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.functions import all_functions
from ttstack.dialects.location import read_location
from ttstack.frontends.limits import CALLED_OPS, CALLS
from ttstack.mlir import func, ir


def check_calls(module: ir.Module) -> None:
    """Raise `InvalidIRError` at a function whose calls expand to too many ops, or are nested too deeply."""
    sizes = _Sizes({f.name.value: f for f in all_functions(module)})
    for name in sizes.functions:
        sizes.of(name, 0)


class _Sizes:
    """Sizes of functions with all their callees; recursion is rejected elsewhere."""

    def __init__(self, functions: dict[str, func.FuncOp]) -> None:
        self.functions = functions
        self._known: dict[str, int] = {}

    def of(self, name: str, depth: int) -> int:
        """Return the number of ops that a call of the function expands to."""
        if name not in self._known:
            if depth > CALLS:
                self._refuse(name, f"is called through more than {CALLS} others")
            self._known[name] = 0
            own, called = _contents(self.functions[name])
            self._known[name] = own + sum(self.of(n, depth + 1) for n in called if n in self.functions)
            if self._known[name] > CALLED_OPS:
                self._refuse(name, f"expands to {self._known[name]:,} ops with all its calls, over {CALLED_OPS:,}")
        return self._known[name]

    def _refuse(self, name: str, why: str) -> None:
        place = read_location(self.functions[name].location) or None
        raise InvalidIRError(f"function '{name}' {why}", loc=place, hint="calls are inlined: divide the model")


def _contents(function: func.FuncOp) -> tuple[int, list[str]]:
    """Return the number of ops of a function, and the functions that it calls."""
    count, called = 0, list[str]()

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        if op.name == "func.call":
            called.append(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
        return ir.WalkResult.ADVANCE

    if function.regions[0].blocks:
        function.operation.walk(visit)
    return count, called
