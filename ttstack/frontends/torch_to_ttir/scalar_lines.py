"""Ops along a dimension of a tensor without dimensions, which PyTorch takes for a line of one element."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps

from ttstack.dialects.ttir.build import reshape_to
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

_LINE = (1,)


@dataclass(frozen=True)
class LineOp(TorchOp):
    """An op whose tensors without dimensions are lines of one element."""

    @cached_property
    def results(self) -> tuple[TensorType | None, ...]:
        """The types of all results, with lines."""
        found = [self.read(r.type) for r in self.op.results]
        return tuple(t.with_shape(_LINE) if t is not None and not t.rank else t for t in found)


def on_lines(convert: Callable[[TorchOp], ir.Value]) -> Callable[[TorchOp], ir.Value]:
    """Return a conversion that converts an op without dimensions as one on lines of one element."""

    @wraps(convert)
    def converted(call: TorchOp) -> ir.Value:
        if call.result.rank:
            return convert(call)
        return reshape_to(convert(LineOp(call.op, [_line(value) for value in call.operands])), ())

    return converted


def _line(value: ir.Value) -> ir.Value:
    return reshape_to(value, _LINE) if isinstance(value.type, ir.RankedTensorType) and not value.type.rank else value
