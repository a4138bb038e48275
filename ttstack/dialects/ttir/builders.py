"""`ttir.add(a, b)`: a builder for each op, by its mnemonic.

`make types` writes their signatures, from the definitions, into `builders.pyi` next to this file.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ttstack.dialects.base import create
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.types import TensorType
from ttstack.support.suggestion import did_you_mean


class Builders:
    """Builds ops at the current insertion point; returns the op's result, or all results if it has several.

    Operands are in the order of the MLIR text, None for absent optional ones, attributes by name. `result` is the
    result's type, or those of all results, for ops whose types cannot be inferred.
    """

    def __getattr__(self, mnemonic: str) -> Callable[..., ir.Value | tuple[ir.Value, ...]]:
        """Return the builder of one op."""
        if mnemonic not in OPS:
            raise AttributeError(f"there is no op '{mnemonic}'; {did_you_mean(mnemonic, OPS)}".removesuffix("; "))
        if OPS[mnemonic].has_several_results():
            return lambda *operands, **given: tuple(self.operation(mnemonic, *operands, **given).results)
        return partial(self.build, mnemonic)

    def build(self, mnemonic: str, /, *operands: ir.Value | None, **given: Any) -> ir.Value:
        """Build the op of that name, and return its first result."""
        return self.operation(mnemonic, *operands, **given).results[0]

    def operation(
        self,
        mnemonic: str,
        /,
        *operands: ir.Value | None,
        result: TensorType | Sequence[TensorType] | None = None,
        **attributes: object,
    ) -> ir.Operation:
        """Build the op of that name."""
        results = () if result is None else (result,) if isinstance(result, TensorType) else tuple(result)
        return create("ttir", mnemonic, operands, attributes, results=results)


ttir = Builders()
