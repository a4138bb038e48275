"""Layout of every value without L1, and its element format on the device."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ttstack.device.kernel_class import casts_reals
from ttstack.device.layout import Layout, MemorySpace, storage
from ttstack.ops.shape import Reshape
from ttstack.ops.types import DType
from ttstack.placement.deciding_values import deciding_values
from ttstack.placement.graph import Graph
from ttstack.placement.host_values import host_values, takes_any_format
from ttstack.placement.index_lists import read_as_rows, read_without_sign
from ttstack.placement.mask_values import masked_buffers
from ttstack.placement.rows import in_rows


def default_layouts(
    graph: Graph, asked_formats: Sequence[DType | None] = (), fixed: Mapping[int, DType] | None = None
) -> tuple[Layout, ...]:
    """Return a layout in DRAM for each value, or on the host for formats that the device does not support.

    Real numbers get the format that is asked for each value, or the source's own where None; what host code would
    compute keeps the source's where that is wider. Where blocks are asked for, scores beside what hides others and what
    decides a choice are in bf16. The formats of some values are fixed.
    """
    layouts = [Layout(dtype_of_value) for dtype_of_value in _formats(graph, asked_formats, fixed or {})]
    for value in graph.on_host:
        layouts[value] = Layout(layouts[value].dtype, True, MemorySpace.SYSTEM_MEMORY)
    lists, unsigned = read_as_rows(graph), read_without_sign(graph)
    for value in {*graph.arguments, *lists} - graph.on_host:
        dtype = DType.UI32 if value in unsigned and layouts[value].dtype is DType.SI32 else layouts[value].dtype
        if value in lists:
            layouts[value] = in_rows(Layout(dtype), MemorySpace.DRAM)
        else:
            layouts[value] = Layout(dtype, filters=_are_filters(graph, value))
    for value, maker in graph.makers.items():
        if isinstance(graph.nodes[maker].op, Reshape) and _are_filters(graph, value):
            layouts[value] = replace(layouts[value], filters=True)
    return tuple(layouts[owner] for owner in graph.owner)


def with_recasts(graph: Graph, asked_formats: Sequence[DType | None], fixed: Mapping[int, DType]) -> Graph:
    """Return the graph with casts between types of one device format as views."""
    nodes, casts = list(graph.nodes), [i for i, node in enumerate(graph.nodes) if casts_reals(node.op)]
    formats = _formats(graph, asked_formats, fixed) if casts else ()
    for i in casts:
        values = (*nodes[i].operands, *nodes[i].results)
        if graph.on_host.isdisjoint(values) and len({formats[v] for v in values}) == 1:
            nodes[i] = replace(nodes[i], recast=True)
    return replace(graph, nodes=tuple(nodes)) if casts else graph


def _formats(graph: Graph, asked_formats: Sequence[DType | None], fixed: Mapping[int, DType]) -> list[DType]:
    """Return the format in which the device holds each value."""
    asked = list(asked_formats or [None] * len(graph.values))
    for v in host_values(graph) if any(asked) else ():
        asked[v] = _wider(storage(graph.values[v].dtype), asked[v])
    for v in masked_buffers(graph) | deciding_values(graph) if any(map(_blocks, asked)) else ():
        asked[v] = DType.BF16 if _blocks(asked[v]) else asked[v]
    for v in _exact_choices(graph) if any(asked) else ():
        asked[v] = DType.F32
    for v in graph.loop_values:
        asked[v] = None
    return [
        storage(t.dtype, fixed.get(v, chosen)) for v, (t, chosen) in enumerate(zip(graph.values, asked, strict=True))
    ]


def _exact_choices(graph: Graph) -> Iterator[int]:
    """Yield deciding values that a source in 16 bits computes in float32 on purpose, as routers of experts do."""
    if any(t.dtype in (DType.BF16, DType.F16) for t in graph.values):
        kept = (v for v in deciding_values(graph) if graph.values[v].dtype is DType.F32)
        yield from (v for v in kept if v in graph.makers and takes_any_format(graph.nodes[graph.makers[v]].op))


def _are_filters(graph: Graph, value: int) -> bool:
    """Return True if convolutions read the value as their weights, and nothing else reads it."""
    users = graph.users[value]
    return bool(users) and all(position in node.op.filter_operands for node, position in users)


def _wider(own: DType, asked: DType | None) -> DType:
    return own if asked is None or own.bits > asked.bits else asked


def _blocks(asked: DType | None) -> bool:
    return asked is not None and asked.is_block
