"""A PyTorch model as TTIR, with its weights where they are."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch import nn
from torch.export import ExportedProgram

from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import ArgumentSignature, mark_variables, write_signature
from ttstack.frontends.conversion.updates import write_updates
from ttstack.frontends.torch.export import export
from ttstack.frontends.torch.importer import import_program
from ttstack.frontends.torch.signature import Argument, GraphOutput
from ttstack.frontends.torch.training.program import StepProgram
from ttstack.frontends.torch_to_ttir import torch_to_ttir
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind

_KINDS = {
    "input": TensorKind.INPUT,
    "parameter": TensorKind.PARAMETER,
    "buffer": TensorKind.PARAMETER,
    "constant": TensorKind.CONSTANT,
}


@dataclass(frozen=True)
class ImportedModel:
    """A TTIR module with one function, its arguments (user inputs first) and its results in order.

    Buffers and inputs that the model changes are written to by the function and are no results.
    `weights` are views of the model's own memory by argument name; tensors on the meta device have none.
    """

    module: ir.Module
    arguments: tuple[Argument, ...]
    outputs: tuple[GraphOutput, ...]
    weights: dict[str, np.ndarray[Any, Any]]
    name: str
    phases: dict[str, float]
    """Seconds of `export` and `import`."""


def import_torch(
    source: nn.Module | ExportedProgram | str | Path, example_inputs: object = None, context: ir.Context | None = None
) -> ImportedModel:
    """The TTIR of a model, in `context` or else in the current one, which must know the TTIR dialect.

    Args:
        source: a module, a program that is exported already, the path of one, or `package.module:factory`.
        example_inputs: what `export` takes.
        context: where the module is made.

    Raises:
        SourceError: nothing to trace with, or a model that torch.export refuses.
        UnsupportedOpError: ops without a conversion, all of them, or an op in a form that has none.
    """
    start = time.perf_counter()
    program = export(source, example_inputs)
    exported = time.perf_counter()
    with context or ir.Context.current as current, ir.Location.unknown():
        imported = import_program(program, current)
        torch_to_ttir(imported.module)
        (function,) = all_functions(imported.module)
        named = {a.name: value for a, value in zip(imported.arguments, function.arguments, strict=True)}
        write_updates(function, [None if o.updates is None else named[o.updates] for o in imported.outputs])
        outputs = tuple(output for output in imported.outputs if output.updates is None)
        _sign(function, imported.arguments, outputs)
        if isinstance(program, StepProgram):
            mark_variables(function, {a.name for a in imported.arguments if a.kind == "buffer"})
        with as_diagnostics("the imported model is invalid"):
            imported.module.operation.verify()
    return ImportedModel(
        module=imported.module,
        arguments=imported.arguments,
        outputs=outputs,
        weights={name: _array(t) for name, t in imported.weights.items() if not t.is_meta},
        name=str(source) if isinstance(source, str | Path) else type(source).__name__,
        phases={"export": exported - start, "import": time.perf_counter() - exported},
    )


def _sign(function: func.FuncOp, arguments: tuple[Argument, ...], outputs: tuple[GraphOutput, ...]) -> None:
    signatures = [ArgumentSignature(a.name, _KINDS[a.kind]) for a in arguments]
    write_signature(function, signatures, [output.name for output in outputs])


def _array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The tensor's memory as an array; a copy only where it is on another device."""
    host = tensor.detach().cpu()
    return host.view(torch.uint16).numpy().view(ml_dtypes.bfloat16) if host.dtype == torch.bfloat16 else host.numpy()
