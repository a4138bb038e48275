"""Expansion of nodes that ONNX defines by other ops, and of computed padding."""

from collections.abc import Iterator, Mapping
from typing import Any

import onnx
from onnx import FunctionProto, NodeProto, TypeProto

from ttstack.frontends.onnx.definitions import DEFINITIONS
from ttstack.frontends.onnx.supported import OWN_DOMAINS
from ttstack.frontends.onnx.types import static_shape


def spell_pads(node: NodeProto, types: Mapping[str, TypeProto]) -> NodeProto:
    """Return the node with explicit padding instead of `auto_pad`; the node itself without it."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    how = attributes.pop("auto_pad", b"NOTSET").decode()
    if how == "NOTSET" or node.op_type not in ("Conv", "MaxPool", "AveragePool"):
        return node
    shape = static_shape(types[node.input[0]]) or ()
    kernel = attributes.get("kernel_shape") or (static_shape(types[node.input[1]]) or ())[2:]
    rank = len(kernel)
    strides, dilations = (attributes.get(name, [1] * rank) for name in ("strides", "dilations"))
    totals = [
        max(0, (-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size) if how != "VALID" else 0
        for size, k, stride, dilation in zip(shape[2:], kernel, strides, dilations, strict=True)
    ]
    less, more = [total // 2 for total in totals], [-(-total // 2) for total in totals]
    attributes["pads"] = less + more if how == "SAME_UPPER" else more + less
    return onnx.helper.make_node(node.op_type, node.input, node.output, node.name, domain=node.domain, **attributes)


def spell_stft(node: NodeProto) -> NodeProto:
    """Return an `STFT` with its default for `onesided`, which ONNX's type inference takes for 0; other nodes as is."""
    if node.op_type != "STFT" or any(a.name == "onesided" for a in node.attribute):
        return node
    spelled = NodeProto()
    spelled.CopyFrom(node)
    spelled.attribute.append(onnx.helper.make_attribute("onesided", 1))
    return spelled


def full_name(node: NodeProto) -> str:
    """Return its name, with the domain if that is not ONNX's own."""
    return f"{node.domain}.{node.op_type}" if node.domain not in OWN_DOMAINS else node.op_type


def definition(node: NodeProto, types: Mapping[str, TypeProto], opset: int) -> FunctionProto | None:
    """Return the definition of an op by other ops for operands of these types, or None."""
    if (name := full_name(node)) in DEFINITIONS:
        return DEFINITIONS[name](node, types)
    if (schema := _schema(node, opset)) is None:
        return None
    if schema.has_function:
        versions = [version for version in schema.function_opset_versions if version <= opset]
        text: Any = versions and schema.get_function_with_opset_version(max(versions))
    else:
        versions = [version for version in schema.context_dependent_function_opset_versions if version <= opset]
        given = [types[name].SerializeToString() if name else b"" for name in node.input]
        text = versions and schema.get_context_dependent_function_with_opset_version(
            max(versions), node.SerializeToString(), given
        )
    return FunctionProto.FromString(text) if text else None


def is_defined_elsewhere(node: NodeProto) -> bool:
    """Return True for an op of another domain that has a definition here or in ONNX."""
    return full_name(node) in DEFINITIONS or _schema(node, 0) is not None


def _schema(node: NodeProto, opset: int) -> Any:
    """Return ONNX's schema of an op; None for an op of another domain that ONNX does not define by other ops."""
    if node.domain in OWN_DOMAINS:
        return onnx.defs.get_schema(node.op_type, opset, "")
    if not onnx.defs.has(node.op_type, domain=node.domain):
        return None
    schema: Any = onnx.defs.get_schema(node.op_type, domain=node.domain)
    return schema if schema.has_function or schema.has_context_dependent_function else None


def nodes_of(function: FunctionProto, node: NodeProto, opset: int) -> Iterator[NodeProto]:
    """Yield the nodes of a definition with the node's attributes and the definition's names."""
    given = {a.name: a for a in node.attribute}
    schema = _schema(node, opset)
    known: Any = {} if schema is None else schema.attributes
    default = {name: a.default_value for name, a in known.items() if a.default_value.name}
    for inner in function.node:
        bound = NodeProto()
        bound.CopyFrom(inner)
        del bound.attribute[:]
        for attribute in inner.attribute:
            source = given.get(attribute.ref_attr_name) or default.get(attribute.ref_attr_name)
            if not attribute.ref_attr_name:
                bound.attribute.append(attribute)
            elif source is not None:
                bound.attribute.append(source)
                bound.attribute[-1].name = attribute.name
        yield bound
