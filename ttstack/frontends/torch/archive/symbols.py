"""Rejection of dynamic shapes, whose expressions torch evaluates."""

import re
from collections.abc import Iterator, Sequence

from torch._export.serde import schema

from ttstack.frontends.torch.archive.allowed import MisfitError, shorten_text
from ttstack.frontends.torch.dynamic import Extents, dynamic_inputs, dynamic_result
from ttstack.frontends.torch.source_lines import line_of_trace, spell

_TENSOR = schema.TensorArgument
_SYMBOL = re.compile(r"Symbol\('(\w+)'.*")


def refuse_symbols(module: schema.GraphModule, graphs: Sequence[schema.Graph]) -> None:
    """Raise a SourceError that names each input with a dynamic shape, or the first op that has one.

    `graphs` are the module's own graph, and those of its regions. Offsets of tensors of known shape, such as those of
    a loop's results, become 0, as values do not depend on them.
    """
    for meta in (meta for graph in graphs for meta in graph.tensor_values.values()):
        if all(extent.type == "as_int" for extent in (*meta.sizes, *meta.strides)):
            meta.storage_offset = schema.SymInt.create(as_int=0)
    dynamic = {name: extents for graph in graphs for name, extents in _dynamic(graph)}
    if not dynamic:
        return
    given = [spec.user_input.arg for spec in module.signature.input_specs if spec.type == "user_input"]
    if inputs := [(name, dynamic[name]) for arg in given for name in _names(arg) if name in dynamic]:
        raise dynamic_inputs(inputs)
    for node in (node for graph in graphs for node in graph.nodes):
        for name in (name for output in node.outputs for name in _names(output) if name in dynamic):
            where = spell(line_of_trace(node.metadata.get("stack_trace", "")))
            op = node.target.removeprefix("torch.ops.")
            raise dynamic_result(shorten_text(op), dynamic[name], where)
    raise MisfitError(f"'{next(iter(dynamic))}' has a dynamic shape, and nothing computes it")


def _dynamic(graph: schema.Graph) -> Iterator[tuple[str, Extents | None]]:
    """Yield names with shapes, or None for numbers."""
    for name, meta in graph.tensor_values.items():
        if any(extent.type == "as_expr" for extent in (*meta.sizes, *meta.strides, meta.storage_offset)):
            yield name, tuple(map(_spell, meta.sizes))
    for numbers in (graph.sym_int_values, graph.sym_float_values, graph.sym_bool_values):
        for name, number in numbers.items():
            if number.type == "as_expr":
                yield name, None


def _spell(extent: schema.SymInt) -> int | str:
    if extent.type == "as_int":
        return extent.value
    symbol = _SYMBOL.fullmatch(extent.value.expr_str)
    return symbol[1] if symbol else "?"


def _names(arg: schema.Argument) -> list[str]:
    """Return the values of an argument."""
    held = arg.value if isinstance(arg.value, list) else [arg.value]
    inner = [getattr(value, "value", value) for value in held]
    return [value if isinstance(value, str) else value.name for value in inner if isinstance(value, str | _TENSOR)]
