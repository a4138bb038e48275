"""A table that is also a product's weight lies in memory twice: in rows for lookups, in tiles for all else.

Ops read one of both, and a change from one to the other in each pass costs more than the bytes are worth.
"""

from ttstack.dialects.base import definition, definition_of
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
from ttstack.passes.functions import functions, refresh_signature
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_constant
from ttstack.passes.weights import free_name
from ttstack.program.records import HeldWeight

_LEAST_BYTES = 1 << 20
"""Smaller ones are changed in the time of a launch."""


class DuplicateTiedEmbeddings(
    Pass,
    name="duplicate-tied-embeddings",
    optional=True,
    stage=Stage.PARAMETERS,
    after={"fold-parameters": "parameters that it makes can be read in two ways"},
):
    """Split a parameter that some ops read in rows and others in tiles into two that hold one weight."""

    def run(self, module: ir.Module) -> None:
        """Look at every parameter of every function."""
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
