"""Import of a static graph into the torch dialect, with parameters as named arguments."""

import re
from collections.abc import Collection
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, numpy_helper

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.frontends.conversion.narrow import stored_values
from ttstack.frontends.onnx.static import StaticGraph
from ttstack.frontends.onnx.types import stored_type, type_of
from ttstack.mlir import PassManager, ir, onnx_importer, register_torch_dialect

FUNCTION = "forward"

_REFUSED = re.compile(r'"torch.operator"\(.*?name = "(onnx\.\w+)".*? : (.*)')

_TO_TORCH = "builtin.module(func.func(convert-torch-onnx-to-torch),canonicalize,cse)"


class _Types(onnx_importer.ContextCache):
    """The importer's types, with values of literals as a readable attribute."""

    def tensor_proto_to_attr(self, tp: TensorProto) -> ir.Attribute:
        array: Any = np.ascontiguousarray(numpy_helper.to_array(tp)).reshape(tp.dims)
        if tp.data_type == TensorProto.BFLOAT16:
            array = array.view(np.uint16)
        return ir.DenseElementsAttr.get(array, type=self.tensor_proto_to_builtin_type(tp))


def import_graph(graph: StaticGraph, model: ModelProto, arguments: list[str], whole: Collection[str]) -> ir.Module:
    """Return the module with one function, in the current context.

    Args:
        graph: The graph to import.
        model: Its model, for the operator sets.
        arguments: Names of the values that are arguments, in order; other constants are literals.
        whole: Names of ops that are kept as `torch.operator "torch.onnx.<name>"`; the others become torch ops.
    """
    context = ir.Context.current
    register_torch_dialect(context)
    header = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, graph=_proto(graph, arguments))
    nothing_expanded = onnx_importer.Config(function_expansion_allowlists_by_domain={"": set()})
    info = onnx_importer.ModelInfo(header, config=nothing_expanded)
    module = info.create_module(context)
    try:
        importer = onnx_importer.NodeImporter.define_function(info.main_graph, module.operation, _Types(context))
        importer.import_all()
    except onnx_importer.OnnxImportError as e:
        raise UnsupportedOpError(f"the model is of a form that cannot be compiled: {e}") from e
    _keep(module, whole)
    _to_torch(module)
    return module


def _to_torch(module: ir.Module) -> None:
    try:
        PassManager.parse(_TO_TORCH).run(module.operation)
    except ir.MLIRError as e:
        first = e.error_diagnostics[0] if e.error_diagnostics else None
        name = _REFUSED.search(first.message) if first else None
        raise UnsupportedOpError(
            f"`{name[1]}` cannot be compiled in this form" if name else f"the model is refused: {e}",
            loc=read_location(first.location) if first else None,
            notes=tuple(name.groups()[1:]) if name else (),
        ) from e


def _proto(graph: StaticGraph, arguments: list[str]) -> GraphProto:
    """Return the graph with the type information that the importer needs; narrow types as they are stored."""
    types = graph.types | {name: type_of(values) for name, values in graph.known.items()}
    used = {name for node in graph.nodes for name in node.input} | set(graph.outputs.values())
    literals = sorted((used & set(graph.known)) - set(arguments))
    values = [onnx.helper.make_value_info(name, stored_type(t)) for name, t in types.items()]
    by_name = {value.name: value for value in values}
    return GraphProto(
        name=FUNCTION,
        node=graph.nodes,
        input=[by_name[name] for name in arguments],
        output=[by_name[name] for name in graph.outputs.values()],
        initializer=[numpy_helper.from_array(stored_values(np.asarray(graph.known[name])), name) for name in literals],
        value_info=values,
    )


def _keep(module: ir.Module, whole: Collection[str]) -> None:
    (function,) = module.body.operations
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name == "torch.operator":
            name = op.attributes["name"].value.removeprefix("onnx.")
            if name in whole:
                op.attributes["name"] = ir.StringAttr.get(f"torch.onnx.{name}")
