"""Import of an exported program into the torch dialect, with weights as named arguments."""

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import fx
from torch.export import ExportedProgram

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.torch.control_flow import attach_graphs, expand_control_flow
from ttstack.frontends.torch.graph import (
    functional,
    refuse_dynamic_shapes,
    refuse_lost_updates,
    simplify_graph,
)
from ttstack.frontends.torch.locations import LocatedTypes
from ttstack.frontends.torch.loops import LoopImporter, ParameterName, known_nodes
from ttstack.frontends.torch.signature import Argument, GraphOutput, Signature, complex_places, read_signature
from ttstack.frontends.torch.source_lines import line_of_node, spell
from ttstack.mlir import PassManager, func, fx_importer, ir, register_torch_dialect

FUNCTION = "forward"
_CLEANUP = "builtin.module(func.func(cse))"

_WAYS_OUT = {"aten.as_strided.default": "write it with slices, reshape, permute or unfold"}


@dataclass(frozen=True)
class Imported:
    """The function `forward` of `module`, with its arguments (user inputs first) and its results in order.

    `weights` has the model's tensors by argument name, without a copy.
    """

    module: ir.Module
    arguments: tuple[Argument, ...]
    outputs: tuple[GraphOutput, ...]
    weights: dict[str, torch.Tensor]


def import_program(program: ExportedProgram, context: ir.Context | None = None) -> Imported:
    """Import `program` into the torch dialect without decomposing ops.

    Raises:
        SourceError: it has dynamic shapes, state that is not a buffer, or an unsupported type.
        UnsupportedOpError: it has control flow, or an op that the torch dialect does not support.
    """
    refuse_dynamic_shapes(program)
    refuse_lost_updates(program)
    pairs = complex_places(program)
    program = functional(program)
    graph = simplify_graph(program.graph)
    attach_graphs(graph, program.graph_module, simplify_graph)
    expand_control_flow(graph)
    signature = read_signature(program, graph, pairs)
    context = context or ir.Context()
    register_torch_dialect(context)
    module = _import(graph, signature, context)
    PassManager.parse(_CLEANUP, context).run(module.operation)
    outputs = tuple(output for _, output in signature.outputs)
    return Imported(module, tuple(signature.arguments.values()), outputs, signature.weights)


def _import(graph: fx.Graph, signature: Signature, context: ir.Context) -> ir.Module:
    importer = fx_importer.FxImporter(context=context)
    types = LocatedTypes(context)
    block = _function(importer.module, signature, types, context)
    nodes = LoopImporter(importer, types, block, known_nodes(signature), _fill)
    for node, value in zip(signature.arguments, block.arguments, strict=True):
        nodes.bind_node_value(node, value)
    with ir.Location.unknown(context):
        _fill(nodes, graph)
        nodes.return_node_values(ir.Location.current, [node for node, _ in signature.outputs], {})
    return importer.module


def _fill(nodes: LoopImporter, graph: fx.Graph) -> list[fx.Node]:
    """Import the constants and the nodes of a graph, and return its results."""
    for node, value in nodes.known.items():
        if not isinstance(value, ParameterName):
            with ir.InsertionPoint(nodes.block):
                _bind_literal(nodes, node, value, nodes.types.node_val_to_type(node))
    for node in graph.nodes:
        if node.op == "call_function":
            _import_node(nodes, node)
    (results,) = graph.output_node().args
    return [results] if isinstance(results, fx.Node) else list(cast(Any, results))


def _function(module: ir.Module, signature: Signature, types: LocatedTypes, context: ir.Context) -> ir.Block:
    """Return the entry block of a new function with the signature's types; locations contain the arguments' names."""
    with ir.Location.unknown(context):
        arguments = [types.node_val_to_type(node) for node in signature.arguments]
        results = [types.node_val_to_type(node) for node, _ in signature.outputs]
        function = func.FuncOp(FUNCTION, (arguments, results), ip=ir.InsertionPoint(module.body))
        names = [ir.Location.name(argument.name) for argument in signature.arguments.values()]
        return ir.Block.create_at_start(function.body, arguments, names)


def _bind_literal(nodes: "fx_importer.GraphNodeImporter", node: fx.Node, value: object, result: ir.Type) -> None:
    if isinstance(value, torch.Tensor):
        op = ir.Operation.create("torch.vtensor.literal", [result], attributes={"value": _dense(value)})
        nodes.bind_node_value(node, op.result)
    else:
        nodes.import_constant(ir.Location.current, node, value)


def _dense(tensor: torch.Tensor) -> ir.Attribute:
    raw = tensor.detach().cpu().contiguous()
    array: Any = raw.view(torch.uint16).numpy() if raw.dtype == torch.bfloat16 else raw.numpy()
    element = fx_importer.TORCH_DTYPE_TO_MLIR_TYPE[tensor.dtype]()
    return ir.DenseElementsAttr.get(array, type=ir.RankedTensorType.get(tensor.shape, element))


def _import_node(nodes: "fx_importer.GraphNodeImporter", node: fx.Node) -> None:
    try:
        nodes.import_nodes([node], skip_placeholders_outputs=True)
    except Exception as e:
        raise UnsupportedOpError(
            f"`{node.target}` cannot be imported: {e or type(e).__name__}",
            loc=spell(line_of_node(node)),
            hint=_WAYS_OUT.get(str(node.target)),
        ) from e
