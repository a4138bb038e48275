"""Evaluation of nodes on constant operands, and type inference, by the ONNX package."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, NodeProto, TypeProto, checker, numpy_helper
from onnx.reference import ReferenceEvaluator

from ttstack.frontends.onnx.types import static_shape, type_of

Array = np.ndarray[Any, Any]

_OF_TYPE = {
    "Shape": lambda shape, begin, end: np.array(shape[begin:end], np.int64),
    "Size": lambda shape, _begin, _end: np.array(np.prod(shape, dtype=np.int64)),
}
"""Ops whose result depends only on the shape of the operand."""

_RANDOM = frozenset(
    {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"}
)


class Evaluator:
    """Types and values of node results, in the operator sets of one model."""

    def __init__(self, opsets: Mapping[str, int]) -> None:
        self._opsets = dict(opsets)
        self._imports = [onnx.helper.make_operatorsetid(domain, version) for domain, version in opsets.items()]

    def defines(self, node: NodeProto) -> bool:
        """Return True if the op is one of ONNX's own."""
        domain = "" if node.domain == "ai.onnx" else node.domain
        return onnx.defs.has(node.op_type, self._opsets.get(domain, 0), domain)

    def check(self, node: NodeProto) -> None:
        """Raise `ValueError` if operands, results or attributes differ in number or type from ONNX's definition.

        Bodies and tensors are checked elsewhere.
        """
        own = NodeProto()
        own.CopyFrom(node)
        for attribute in own.attribute:
            if attribute.HasField("g"):
                attribute.g.CopyFrom(GraphProto(name="body"))
            if attribute.HasField("t"):
                attribute.t.CopyFrom(numpy_helper.from_array(np.zeros(1, np.float32)))
        context: Any = checker.C.CheckerContext()
        context.ir_version, context.opset_imports = onnx.IR_VERSION, self._opsets
        try:
            checker.check_node(own, context)
        except checker.ValidationError as e:
            raise ValueError(str(e).strip().splitlines()[0]) from e

    def types(
        self, node: NodeProto, types: Mapping[str, TypeProto], known: Mapping[str, Array]
    ) -> dict[str, TypeProto]:
        """Return the types of the results by name.

        Raise `onnx.shape_inference.InferenceError` if operands do not fit.
        """
        domain = "" if node.domain == "ai.onnx" else node.domain
        schema = onnx.defs.get_schema(node.op_type, self._opsets[domain], domain)
        operands = {name: types[name] for name in node.input if name}
        data = {name: numpy_helper.from_array(np.array(known[name]), name) for name in operands if name in known}
        return onnx.shape_inference.infer_node_outputs(schema, node, operands, data, opset_imports=self._imports)

    def values(
        self, node: NodeProto, types: Mapping[str, TypeProto], known: Mapping[str, Array]
    ) -> dict[str, Array] | None:
        """Return the values of the results by name; None if they are not compile-time constants."""
        if node.op_type in _OF_TYPE:
            shape = static_shape(types[node.input[0]])
            bounds = {a.name: a.i for a in node.attribute}
            given = shape is not None
            return (
                {node.output[0]: _OF_TYPE[node.op_type](shape, bounds.get("start"), bounds.get("end"))}
                if given
                else None
            )
        if node.op_type in _RANDOM or not all(name in known for name in node.input if name):
            return None
        return self._run(node, known)

    def _run(self, node: NodeProto, known: Mapping[str, Array]) -> dict[str, Array] | None:
        feeds = {name: np.asarray(known[name]) for name in node.input if name}
        inputs = [onnx.helper.make_value_info(name, type_of(values)) for name, values in feeds.items()]
        outputs = [onnx.helper.make_value_info(name, TypeProto()) for name in node.output if name]
        graph = onnx.helper.make_graph([node], "node", inputs, outputs)
        model = onnx.helper.make_model(graph, opset_imports=self._imports)
        try:
            found = ReferenceEvaluator(model).run(None, feeds)
        except Exception:  # The reference raises whatever it likes; the node is then left to run on the device.
            return None
        return dict(zip((o.name for o in outputs), map(np.asarray, found), strict=True))
