"""Compile-time computation of `tensor_train_decompose`: the cores replace the table."""

from typing import Any

import numpy as np

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import erase_unused_parameters, insert_parameters, read_arguments
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.ops.tensor_train import TensorTrainDecompose
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import TensorType
from ttstack.passes.base import ParameterPass
from ttstack.passes.functions import functions
from ttstack.passes.stages import Stage
from ttstack.passes.weights import Weights
from ttstack.program.records import TensorKind
from ttstack.tensor_train import TensorTrain, decompose


class FoldTensorTrain(ParameterPass, name="fold-tensor-train", stage=Stage.LOOKUPS):
    """Compute the cores of `tensor_train_decompose` of a parameter or constant at compile time.

    Cores of a parameter without values have no values either.
    """

    def run(self, module: ir.Module) -> None:
        """Fold in every function."""
        for function in functions(module):
            decompositions = [
                op.operation for op in function.regions[0].blocks[0].operations if op.operation.name == _DECOMPOSE
            ]
            for op in decompositions:
                self._fold(function, op)

    def _fold(self, function: func.FuncOp, op: ir.Operation) -> None:
        spec, table = definition_of(op), op.operands[0]
        assert isinstance(spec, TensorTrainDecompose)
        if isinstance(table.owner, ir.Block):
            cores = self._parameters(function, op, spec.train)
        elif table.owner.name == "ttir.constant":
            train = _decompose(read_elements(table.owner.attributes["value"]), spec.train)
            with insert_before(op):
                cores = [_constant(core, t) for core, t in zip(train.cores, spec.train.cores, strict=True)]
        else:
            raise _not_known(op)
        for old, new in zip(op.results, cores, strict=True):
            old.replace_all_uses_with(new)
        op.erase()
        if isinstance(table.owner, ir.Block):
            erase_unused_parameters(function, {read_arguments(function)[table.arg_number].name})
            refresh_signature(function)

    def _parameters(self, function: func.FuncOp, op: ir.Operation, train: TensorTrainType) -> list[ir.Value]:
        argument = read_arguments(function)[op.operands[0].arg_number]
        if argument.kind is not TensorKind.PARAMETER:
            raise _not_known(op)
        data = self._weights.arrays.get(argument.name)
        cores = None if data is None else _decompose(data, train)
        return add_cores(function, argument.name, train, cores, self._weights)


_DECOMPOSE = "ttir.tensor_train_decompose"


def add_cores(
    function: func.FuncOp, table: str, train: TensorTrainType, cores: TensorTrain | None, weights: Weights
) -> list[ir.Value]:
    """Add parameters for the cores of a table, with values if available."""
    names = [f"{table}.core{k}" for k in range(len(train.cores))]
    for k, name in enumerate(names):
        values = None if cores is None else cores.cores[k].astype(train.dtype.numpy, copy=False)
        weights.derive(name, [table], values)
    return insert_parameters(function, names, [tensor_type(t) for t in train.cores])


def _decompose(table: np.ndarray[Any, Any], train: TensorTrainType) -> TensorTrain:
    return decompose(table.reshape(table.shape[-2:]), train.plan)


def _constant(core: np.ndarray[Any, Any], t: TensorType) -> ir.Value:
    return ttir.constant(result=t, value=elements_attribute(core, t))


def _not_known(op: ir.Operation) -> InvalidIRError:
    return InvalidIRError(
        "the table of 'ttir.tensor_train_decompose' is not known when the model is compiled",
        loc=read_location(op.location),
        hint="decompose a parameter or a constant",
    )
