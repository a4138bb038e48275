"""The embedding tables of a module: parameters with lookups, and their other uses."""

from dataclasses import dataclass

from ttstack.dialects.location import read_location
from ttstack.dialects.signature import read_arguments
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.ops.types import TensorType
from ttstack.passes.functions import defined_functions
from ttstack.program.records import TensorKind

LOOKUPS = ("ttir.embedding", "ttir.embedding_bag")
_TABLE = 1
"""The position of the table among the operands of a lookup."""


@dataclass(frozen=True)
class Lookup:
    """A lookup, and the function that contains it."""

    op: ir.Operation
    function: func.FuncOp


@dataclass(frozen=True)
class EmbeddingTable:
    """A parameter with lookups, in all functions of the module."""

    name: str
    type: TensorType
    lookups: tuple[Lookup, ...]
    others: tuple[str, ...]
    """Other ops that use it, with their locations."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.type.shape[-2], self.type.shape[-1]


def find_tables(module: ir.Module) -> list[EmbeddingTable]:
    """Return every parameter with lookups, in the order of arguments; functions can share one."""
    lookups: dict[str, list[Lookup]] = {}
    others: dict[str, list[str]] = {}
    types: dict[str, TensorType] = {}
    for function in defined_functions(module):
        block = function.regions[0].blocks[0]
        for signature, value in zip(read_arguments(function), block.arguments, strict=True):
            if signature.kind is not TensorKind.PARAMETER or signature.variable:
                continue
            types[signature.name] = read_type(value.type)
            for use in value.uses:
                op = use.owner.operation
                if op.name in LOOKUPS and use.operand_number == _TABLE:
                    lookups.setdefault(signature.name, []).append(Lookup(op, function))
                else:
                    others.setdefault(signature.name, []).append(f"'{op.name}' {read_location(op.location)}".strip())
    return [EmbeddingTable(n, types[n], tuple(uses), tuple(others.get(n, ()))) for n, uses in lookups.items()]
