"""Loading of an `.onnx` file, with checks that do not depend on its ops."""

import mmap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto
from onnx.defs import onnx_opset_version
from onnx.inliner import inline_local_functions

from ttstack.diagnostics import SourceError
from ttstack.frontends.onnx.wire import skeleton

OPSETS = range(13, min(28, onnx_opset_version()) + 1)
"""Supported versions of ONNX's operator set: up to 28, as far as the installed package defines them."""


def load(path: Path) -> ModelProto:
    """Return the model with its own functions inlined; the data of large tensors stays in the file.

    Raises:
        SourceError: it is truncated, not an ONNX model, or uses an unsupported operator set.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            with memoryview(data) as view:
                model = ModelProto.FromString(skeleton(view, path.name))
        except ValueError as e:
            raise SourceError(f"'{path}' cannot be read as an ONNX model: {e}", hint="export it again") from e
        except DecodeError as e:
            raise SourceError(f"'{path}' is not an ONNX model", hint="export it again") from e
    if not model.graph.node and not model.graph.output:
        raise SourceError(f"'{path}' holds no graph: it is not an ONNX model, or cut off", hint="export it again")
    if any(isinstance(text, bytes) for text in _texts(model)):
        raise SourceError(f"'{path}' is damaged: it has names that are not UTF-8", hint="export it again")
    _check_opset(model, path)
    _check_names(model.graph, path)
    return inline_local_functions(model) if model.functions else model


def _texts(model: ModelProto) -> Iterator[object]:
    """Yield names and domains, which protobuf returns as bytes if they are not UTF-8."""
    graph = model.graph
    yield from (entry.domain for entry in model.opset_import)
    yield from (tensor.name for tensor in graph.initializer)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        yield from (d.dim_param for d in value.type.tensor_type.shape.dim)


def _check_names(graph: GraphProto, path: Path) -> None:
    """Raise `SourceError` unless all value names are unique."""
    given = Counter(name for node in graph.node for name in node.output if name)
    given.update(value.name for value in graph.input)
    if twice := [name for name, count in given.items() if count > 1]:
        raise SourceError(
            f"'{path}' is not well formed: '{twice[0]}' is the name of {given[twice[0]]} values",
            notes=tuple(f"so is '{name}'" for name in twice[1:]),
            hint="give every result of a node a name of its own",
        )


def _check_opset(model: ModelProto, path: Path) -> None:
    versions = {entry.domain or "ai.onnx": entry.version for entry in model.opset_import}
    version = versions.get("ai.onnx")
    if version in OPSETS:
        return
    said = "names no operator set" if version is None else f"is of ONNX operator set {version}"
    raise SourceError(
        f"'{path}' {said}; sets {OPSETS.start} to {OPSETS.stop - 1} are read",
        hint=f"export it with opset_version={OPSETS.stop - 1}, or convert it: onnx.version_converter.convert_version",
    )
