"""PyTorch models as TTIR, with weights in the model's memory."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn
from torch.export import ExportedProgram

from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import ArgumentSignature, mark_variables, write_signature
from ttstack.frontends.conversion.loop_values import drop_loop_values
from ttstack.frontends.conversion.updates import write_updates
from ttstack.frontends.torch.export import export
from ttstack.frontends.torch.importer import FUNCTION, import_program
from ttstack.frontends.torch.signature import Argument, GraphOutput
from ttstack.frontends.torch.training.program import StepProgram
from ttstack.frontends.torch_to_ttir import torch_to_ttir
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind
from ttstack.support.tensors import to_array

_KINDS = {
    "input": TensorKind.INPUT,
    "parameter": TensorKind.PARAMETER,
    "buffer": TensorKind.PARAMETER,
    "constant": TensorKind.CONSTANT,
}


@dataclass(frozen=True)
class ImportedModel:
    """A TTIR module with one function, its arguments (user inputs first) and its results in order.

    The function writes to buffers and inputs that the model changes; they are not results. `weights` are views of the
    model's own memory by argument name; tensors on the meta device have none.
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
    """Return the TTIR of a model, in `context` or in the current one, which must have the TTIR dialect loaded.

    Args:
        source: A module, an exported program, the path of one, or `package.module:factory`.
        example_inputs: As for `export`.
        context: The context of the module.

    Raises:
        SourceError: there are no inputs to trace with, or torch.export rejects the model.
        UnsupportedOpError: lists all ops without a conversion, or the first op in an unsupported form.
    """
    start = time.perf_counter()
    program = export(source, example_inputs)
    exported = time.perf_counter()
    with context or ir.Context.current as current, ir.Location.unknown():
        imported = import_program(program, current)
        torch_to_ttir(imported.module)
        drop_loop_values(imported.module)
        function = next(f for f in all_functions(imported.module) if f.name.value == FUNCTION)
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
        weights={name: to_array(t) for name, t in imported.weights.items() if not t.is_meta},
        name=str(source) if isinstance(source, str | Path) else type(source).__name__,
        phases={"export": exported - start, "import": time.perf_counter() - exported},
    )


def _sign(function: func.FuncOp, arguments: tuple[Argument, ...], outputs: tuple[GraphOutput, ...]) -> None:
    signatures = [ArgumentSignature(a.name, _KINDS[a.kind], is_complex=a.is_complex) for a in arguments]
    pairs = {output.name for output in outputs if output.is_complex}
    write_signature(function, signatures, [output.name for output in outputs], pairs)
