"""A static graph, without arithmetic on shapes and control flow, with constants evaluated."""

from collections.abc import Iterator, Mapping
from math import prod

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto

from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.frontends.given_shapes import shape_fault
from ttstack.frontends.limits import FOLDED_BYTES, OPS
from ttstack.frontends.onnx import sequences
from ttstack.frontends.onnx.control import CONTROL_FLOW, name_of
from ttstack.frontends.onnx.definitions import DEFINITIONS
from ttstack.frontends.onnx.evaluate import Array, Evaluator
from ttstack.frontends.onnx.inputs import graph_inputs
from ttstack.frontends.onnx.plain import (
    definition,
    full_name,
    is_defined_elsewhere,
    nodes_of,
    spell_pads,
    spell_stft,
)
from ttstack.frontends.onnx.supported import OWN_DOMAINS, SUPPORTED
from ttstack.frontends.onnx.tensors import TensorReader
from ttstack.frontends.onnx.types import spell, static_shape, type_of
from ttstack.frontends.onnx_to_ttir.element_types import NARROW

_BY_VALUE = {"Resize", "OneHot", "QuantizeLinear", "DequantizeLinear"}
"""Ops whose conversion needs the values of real operands."""

_EXPORT_AGAIN = "onnx.checker.check_model names what is wrong with the file; export it again"


class StaticGraph:
    """A model's nodes in order, with bodies of control flow, and without unused ones.

    Values have the model's names, prefixed with a path if a body runs several times. `known` are compile-time
    constants; `parameters` are the model's real tensors, which are not read.
    """

    def __init__(self, model: ModelProto, reader: TensorReader) -> None:
        self.types: dict[str, TypeProto] = {}
        self.known: dict[str, Array] = {}
        self.parameters: dict[str, TensorProto] = {}
        self.sequences: dict[str, list[str]] = {}
        self.inputs = [value.name for value in graph_inputs(model.graph)]
        self._reader = reader
        self._walked = 0
        opsets = {"" if i.domain == "ai.onnx" else i.domain: i.version for i in model.opset_import}
        self._opset = opsets[""]
        self._evaluator = Evaluator(opsets)
        self._by_value = {name for n in _all_nodes(model.graph) if n.op_type in _BY_VALUE for name in n.input}
        self._declared = {v.name: v.type for v in (*model.graph.value_info, *model.graph.output)}
        self._scope: Mapping[str, str] = {}
        self._nodes: list[NodeProto] = []
        self.types.update((value.name, value.type) for value in graph_inputs(model.graph))
        names = [value.name for value in model.graph.output]
        self.outputs = dict(zip(names, self.graph(model.graph, {n: n for n in self.inputs}, ""), strict=True))
        if lists := [name for name, value in self.outputs.items() if value in self.sequences]:
            raise UnsupportedOpError(
                f"the output '{lists[0]}' is a sequence of {len(self.sequences[self.outputs[lists[0]]])} tensors",
                hint="make each tensor of it an output of the graph, as by SequenceAt",
            )
        self.nodes = _alive(self._nodes, set(self.outputs.values()) - set(self.known))

    def graph(self, graph: GraphProto, bound: Mapping[str, str], prefix: str) -> list[str]:
        """Walk a graph whose inputs are the values in `bound`; return the values of its outputs."""
        outer = self._scope
        scope = self._scope = {**outer, **bound}
        for tensor in graph.initializer:
            scope[tensor.name] = prefix + tensor.name
            self._initializer(tensor, prefix + tensor.name)
        for node in graph.node:
            self._resolve(node, scope, prefix)
        names = [value.name for value in graph.output]
        if lost := [name for name in names if name not in scope]:
            raise SourceError(f"no node gives the output '{lost[0]}' of the graph", hint=_EXPORT_AGAIN)
        self._scope = outer
        return [scope[name] for name in names]

    def type_of(self, name: str) -> TypeProto:
        """Return the type of a value, known or not; an empty one for a sequence or an optional."""
        return type_of(self.known[name]) if name in self.known else self.types.get(name, TypeProto())

    def node(self, node: NodeProto) -> None:
        """Walk a node whose operands and results have names of the main graph."""
        unknown = (n for n in node.input if n and n not in self.types and n not in self.known)
        foreign = node.domain not in OWN_DOMAINS
        if not (is_defined_elsewhere(node) if foreign else self._evaluator.defines(node)) or any(unknown):
            self._nodes.append(node)
            return
        for name in node.input:
            if name in self.known:
                self.types[name] = type_of(self.known[name])
        if (function := self._definition(node)) is not None:
            self._expand(function, node)
            return
        if foreign:
            self._nodes.append(node)
            return
        node = spell_stft(spell_pads(node, self.types))
        types = self._types(node)
        if _is_small(types) and (values := self._evaluator.values(node, self.types, self.known)):
            self.known |= values
            self.types |= {name: type_of(value) for name, value in values.items()}
            return
        self._check(node, types)
        self.types |= types
        self._nodes.append(_with_narrow_result(node, types))

    def _resolve(self, node: NodeProto, scope: dict[str, str], prefix: str) -> None:
        """Walk a node of a graph with its names resolved."""
        self._walked += bool(prefix)
        if self._walked > OPS:
            what = f"loops and branches are written out to more than {OPS:,} nodes"
            raise SourceError(what, loc=prefix + name_of(node), hint="shorten the loops before the export")
        if lost := [name for name in node.input if name and name not in scope]:
            what = f"`{node.op_type}` takes '{lost[0]}', which is not an input and no result of a node before it"
            raise SourceError(what, loc=prefix + name_of(node), hint=_EXPORT_AGAIN)
        try:
            _check_integers(node)
            if self._evaluator.defines(node):
                self._evaluator.check(node)
            self._place(node, scope, prefix)
        except ValueError as e:
            what = f"`{node.op_type}` is not as ONNX defines it: {e}"
            raise SourceError(what, loc=prefix + name_of(node), hint=_EXPORT_AGAIN) from e

    def _place(self, node: NodeProto, scope: dict[str, str], prefix: str) -> None:
        """Walk it by kind: control flow, a sequence, a constant, or any other node."""
        named = NodeProto()
        named.CopyFrom(node)
        named.name = prefix + name_of(node)
        named.input[:] = [name and scope[name] for name in node.input]
        if node.op_type in CONTROL_FLOW and not node.domain:
            values = CONTROL_FLOW[node.op_type](named, self)
            scope |= zip(node.output, values, strict=False)
            return
        scope |= {name: prefix + name for name in node.output if name}
        named.output[:] = [name and scope[name] for name in node.output]
        if node.op_type in sequences.BUILT and not node.domain:
            self.sequences[named.output[0]] = sequences.BUILT[node.op_type](named, self)
        elif node.op_type in sequences.READ and not node.domain:
            scope[node.output[0]] = sequences.READ[node.op_type](named, self)
        elif (value := _constant(node)) is not None:
            self.known[named.output[0]] = self._reader.values(value)
        else:
            self.node(named)

    def _definition(self, node: NodeProto) -> FunctionProto | None:
        """Return the definition that replaces the node; None if its form has a conversion."""
        name = full_name(node)
        converted = name in SUPPORTED and name not in DEFINITIONS
        return None if converted else definition(node, self.types, self._opset)

    def _expand(self, function: FunctionProto, node: NodeProto) -> None:
        """Walk the nodes of a node's definition."""
        bound = dict(zip(function.input, node.input, strict=False))
        results = dict(zip(function.output, node.output, strict=False))
        prefix = f"{name_of(node)}/"
        names = dict.fromkeys(function.input, "") | bound | results
        for inner in nodes_of(function, node, self._opset):
            inner.name = name_of(node)
            for operands in (inner.input, inner.output):
                operands[:] = [name and names.get(name, prefix + name) for name in operands]
            if (value := _constant(inner)) is not None:
                self.known[inner.output[0]] = self._reader.values(value)
            else:
                self.node(inner)

    def _initializer(self, tensor: TensorProto, name: str) -> None:
        """Add a tensor: integers and single numbers are constants, others are parameters."""
        self._reader.check(tensor)
        real = tensor.data_type in _REAL and prod(tensor.dims) != 1 and tensor.name not in self._by_value
        if real:
            self.parameters[name] = tensor
            self.types[name] = onnx.helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
        else:
            self.known[name] = self._reader.values(tensor)

    def _types(self, node: NodeProto) -> dict[str, TypeProto]:
        try:
            found = self._evaluator.types(node, self.types, self.known)
        except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError, RuntimeError) as e:
            reason = str(e).strip().splitlines()[-1]
            raise SourceError(f"`{node.op_type}` does not fit its operands: {reason}", loc=name_of(node)) from e
        for name, t in found.items():
            if fault := shape_fault(static_shape(t) or ()):
                raise SourceError(
                    f"the result '{name}' of `{node.op_type}` is not a tensor: {fault}", loc=name_of(node)
                )
        declared = {name: t for name, t in found.items() if static_shape(t) is None and name in self._declared}
        return found | {
            name: self._declared[name] for name in declared if static_shape(self._declared[name]) is not None
        }

    def _check(self, node: NodeProto, types: Mapping[str, TypeProto]) -> None:
        for name, value in types.items():
            if static_shape(value) is None:
                raise SourceError(
                    f"the result '{name}' of `{node.op_type}` has a shape that depends on values: it is {spell(value)}",
                    loc=name_of(node),
                    hint="every shape must be known when the model is compiled",
                )


_REAL = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}


def _with_narrow_result(node: NodeProto, types: Mapping[str, TypeProto]) -> NodeProto:
    """Return a `QuantizeLinear` to a narrow type with that type as attribute; any other node unchanged."""
    element = types[node.output[0]].tensor_type.elem_type if node.op_type == "QuantizeLinear" else 0
    if element not in NARROW:
        return node
    stated = NodeProto()
    stated.CopyFrom(node)
    kept = [attribute for attribute in node.attribute if attribute.name != "output_dtype"]
    del stated.attribute[:]
    stated.attribute.extend([*kept, onnx.helper.make_attribute("output_dtype", element)])
    return stated


def _check_integers(node: NodeProto) -> None:
    """Raise `ValueError` for integers that ONNX's shape inference would truncate to 32 bits."""
    for attribute in node.attribute:
        exact = node.op_type == "Shape" or attribute.name.startswith("value")
        for number in () if exact else (attribute.i, *attribute.ints):
            if not -(1 << 31) <= number < 1 << 31:
                raise ValueError(f"attribute '{attribute.name}' is {number}, which has more than 32 bits")


def _constant(node: NodeProto) -> TensorProto | None:
    """Return the tensor of a `Constant`, if it has one."""
    if node.op_type != "Constant" or node.domain:
        return None
    return next((a.t for a in node.attribute if a.type == AttributeProto.TENSOR), None)


def _is_small(types: Mapping[str, TypeProto]) -> bool:
    shapes = [static_shape(t) for t in types.values()]
    return all(shape is None or 8 * prod(shape) <= FOLDED_BYTES for shape in shapes)


def _all_nodes(graph: GraphProto) -> Iterator[NodeProto]:
    for node in graph.node:
        yield node
        for body in (a.g for a in node.attribute if a.type == AttributeProto.GRAPH):
            yield from _all_nodes(body)


def _alive(nodes: list[NodeProto], needed: set[str]) -> list[NodeProto]:
    """Return the nodes whose results are used, in order."""
    found: list[NodeProto] = []
    for node in reversed(nodes):
        if needed & set(node.output):
            found.append(node)
            needed |= set(node.input)
    return found[::-1]
