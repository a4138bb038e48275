"""Duplication of a table that is also a matmul weight: row-major for lookups, tiled for other ops.

Otherwise each run would convert it from one layout to the other, which costs more than the memory.
"""

from ttstack.dialects.base import definition, definition_of
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.signature import (
    GivenWeight,
    insert_parameters,
    read_arguments,
    read_given_weights,
    write_given_weights,
)
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_constant
from ttstack.program.records import HeldWeight
from ttstack.support.free_name import free_name

_LEAST_BYTES = 1 << 20
"""Smaller tables are converted in the time of a launch."""


class DuplicateTiedEmbeddings(
    Pass,
    name="duplicate-tied-embeddings",
    optional=True,
    stage=Stage.PARAMETERS,
    after={"fold-parameters": "the parameters that it creates can have uses in two layouts"},
):
    """Duplicate a parameter that some ops read in row-major layout and others in tiles."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every parameter of every function."""
        for function in functions(module):
            names = [argument.name for argument in read_arguments(function)]
            for argument in list(function.regions[0].blocks[0].arguments):
                if is_constant(argument) and read_type(argument.type).nbytes >= _LEAST_BYTES:
                    self._untie(function, argument, names)

    def _untie(self, function: func.FuncOp, argument: ir.BlockArgument, names: list[str]) -> None:
        uses = [(use.owner.operation, use.operand_number) for use in argument.uses]
        lookups = [(op, place) for op, place in uses if _reads_rows(op, place)]
        if len(lookups) in (0, len(uses)):
            return
        name = names[argument.arg_number]
        rows = free_name(f"{name}.rows", names)
        names.append(rows)
        same = read_given_weights(function).get(name, GivenWeight(HeldWeight(name), read_type(argument.type).shape))
        (parameter,) = insert_parameters(function, [rows], [argument.type])
        write_given_weights(function, {rows: same})
        for op, place in lookups:
            op.operands[place] = parameter
        refresh_signature(function)


def _reads_rows(op: ir.Operation, place: int) -> bool:
    return definition(op) is not None and place in definition_of(op).host_operands
