"""ONNX models as TTIR, with weights mapped from their files."""

import time
from pathlib import Path

import numpy as np

from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import ArgumentSignature, write_signature
from ttstack.frontends.conversion.narrow import stored_values
from ttstack.frontends.onnx.importer import import_graph
from ttstack.frontends.onnx.inputs import fix_shapes
from ttstack.frontends.onnx.load import load
from ttstack.frontends.onnx.static import StaticGraph
from ttstack.frontends.onnx.supported import check_ops
from ttstack.frontends.onnx.tensors import TensorReader
from ttstack.frontends.onnx.wire import LARGE_BYTES
from ttstack.frontends.onnx_to_ttir import WHOLE, onnx_to_ttir
from ttstack.frontends.readers.kind import SourceModel
from ttstack.program.records import TensorKind


def import_onnx(path: Path, inputs: object = None) -> SourceModel:
    """Return the TTIR of the model in a file, in the current context.

    Args:
        path: The `.onnx` file; external data is next to it.
        inputs: Shapes of inputs, or arrays, by name or by position, for extents that the model leaves open.

    Raises:
        SourceError: the file cannot be read, or shapes are unknown.
        UnsupportedOpError: lists all ops without a conversion, or all ops in an unsupported form.
    """
    start = time.perf_counter()
    model = load(path)
    fix_shapes(model.graph, inputs, path)
    reader = TensorReader(path)
    graph = StaticGraph(model, reader)
    check_ops(graph.nodes)
    loaded = time.perf_counter()
    kinds = _arguments(graph)
    module = import_graph(graph, model, list(kinds), WHOLE)
    onnx_to_ttir(module)
    signatures = [ArgumentSignature(name, kind) for name, kind in kinds.items()]
    (function,) = all_functions(module)
    write_signature(function, signatures, list(graph.outputs))
    with as_diagnostics("the imported model is invalid"):
        module.operation.verify()
    weights = {
        name: stored_values(graph.known[name] if kind is TensorKind.CONSTANT else reader.values(graph.parameters[name]))
        for name, kind in kinds.items()
        if kind is not TensorKind.INPUT
    }
    return SourceModel(module, weights, str(path), {"load": loaded - start, "import": time.perf_counter() - loaded})


def _arguments(graph: StaticGraph) -> dict[str, TensorKind]:
    """Return all values that are not literals: inputs, parameters and large constants, in order of first use."""
    kinds = dict.fromkeys(graph.inputs, TensorKind.INPUT)
    for name in (*(name for node in graph.nodes for name in node.input), *graph.outputs.values()):
        if name in graph.parameters:
            kinds.setdefault(name, TensorKind.PARAMETER)
        elif name in graph.known and np.asarray(graph.known[name]).nbytes > LARGE_BYTES:
            kinds.setdefault(name, TensorKind.CONSTANT)
    return kinds
