"""The torch dialect to TTIR by dialect conversion; every op that has no conversion is reported at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.boundary import ENTER, LEAVE, convert_signature
from ttstack.frontends.torch_to_ttir.call import OPERATOR, Call, torch_name
from ttstack.frontends.torch_to_ttir.table import Conversion
from ttstack.frontends.torch_to_ttir.types import builtin_type
from ttstack.frontends.unsupported import unsupported
from ttstack.mlir import PassManager, ir, rewrite

_CONSTANT = "torch.constant."
_CLEANUP = "builtin.module(canonicalize,cse)"


def convert(module: ir.Module, conversions: Mapping[str, Conversion]) -> None:
    """Convert every function of the module in place.

    Raises:
        UnsupportedOpError: ops without a conversion, all of them; or the first use of an op in a form that has none.
    """
    functions = list(module.body.operations)
    _check(functions, conversions)
    for function in functions:
        convert_signature(function)
    _Driver(conversions).run(module)
    PassManager.parse(_CLEANUP).run(module.operation)


def _check(functions: Sequence[Any], conversions: Mapping[str, Conversion]) -> None:
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    for function in functions:
        for op in function.regions[0].blocks[0].operations:
            name = torch_name(op.operation)
            if name.startswith("torch.") and not name.startswith(_CONSTANT) and name not in conversions:
                found[name] += 1
                first.setdefault(name, read_location(op.location))
    if found:
        raise unsupported(found, first, conversions)


class _Driver:
    """Patterns and types of one run; holds the callbacks, to which the bindings hold no reference."""

    def __init__(self, conversions: Mapping[str, Conversion]) -> None:
        self._conversions = conversions
        self._types = rewrite.TypeConverter()
        self._types.add_conversion(builtin_type)
        self._patterns = rewrite.RewritePatternSet()
        self._target = rewrite.ConversionTarget()
        for name in (*conversions, OPERATOR):
            self._patterns.add_conversion(name, self._rewrite, self._types)
            self._target.add_illegal_op(name)
        for name in (ENTER, LEAVE):
            self._patterns.add_conversion(name, self._drop, self._types)
            self._target.add_illegal_op(name)

    def run(self, module: ir.Module) -> None:
        config = rewrite.ConversionConfig()
        rewrite.apply_partial_conversion(module.operation, self._target, self._patterns.freeze(), config)

    def _rewrite(self, op: Any, adaptor: Any, _types: Any, rewriter: Any) -> None:
        call = Call(op.operation, list(adaptor.operands))
        with rewriter.ip, op.location:
            rewriter.replace_op(op, self._converted(call))

    def _drop(self, op: Any, adaptor: Any, _types: Any, rewriter: Any) -> None:
        rewriter.replace_op(op, list(adaptor.operands))

    def _converted(self, call: Call) -> list[ir.Value]:
        try:
            new = self._conversions[call.name].convert(call)
        except ValueError as e:
            raise UnsupportedOpError(f"`{call.name}`: {e}", loc=read_location(call.op.location) or None) from e
        values = [new] if isinstance(new, ir.Value) else list(new)
        for i, (value, wanted) in enumerate(zip(values, call.results, strict=True)):
            fits = wanted is None or not call.used(i) or read_type(value.type) == wanted
            assert fits, f"{call.name} became {value.type} instead of {wanted}"
        return values
