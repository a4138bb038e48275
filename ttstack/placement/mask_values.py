"""Values that have both scores and their mask: in a block of 16 with one exponent, scores would be lost."""

from ttstack.device.kernel_class import attention_masks, is_softmax, softmax_mask
from ttstack.ops.linear_bias import LinearBiasAttention
from ttstack.ops.types import DType
from ttstack.placement.element_values import CARRYING, TRUTH, UNKNOWN, ElementValues, contents_after, element_nest
from ttstack.placement.graph import Graph, Node

_ADDING = frozenset({"add", "subtract", "maximum", "minimum"})


def masked_buffers(graph: Graph) -> frozenset[int]:
    """Return the buffers that can have mask-sized values next to significant values.

    Masks of nothing but 0 and one such number are none. What a given tensor holds is not known; it may be a mask where
    it is added to what softmax is taken of, or is attention's. Columns of slopes are such buffers too.
    """
    masks, contents_by_value = _perhaps_masks(graph), dict[int, ElementValues]()
    for v in graph.arguments:
        truth = graph.values[v].dtype == DType.I1
        contents_by_value[v] = TRUTH if truth else graph.known.get(v, ElementValues(far=v in masks))
    for node in graph.nodes:
        for v, t in zip(node.results, node.op.results, strict=True):
            one = len(node.results) == 1
            after = contents_after(node.op, [contents_by_value[i] for i in node.operands]) if one else UNKNOWN
            contents_by_value[v] = TRUTH if t.dtype == DType.I1 else after
    uneven = {v for v, contents in contents_by_value.items() if contents.uneven}
    for node in graph.nodes:
        if isinstance(node.op, LinearBiasAttention):
            uneven.update(node.operands[i] for i in node.op.operand_positions("query_columns", "key_columns"))
    return frozenset(graph.owner[v] for v in uneven)


def _perhaps_masks(graph: Graph) -> frozenset[int]:
    """Return the values that reach an addition before softmax through only elementwise ops and data movement."""
    scores, masks = set[int](), set[int]()
    for node in reversed(graph.nodes):
        if is_softmax(node.op):
            added = softmax_mask(node.op)
            scores.update(v for i, v in enumerate(node.operands) if i != added)
            masks.update([] if added is None else [node.operands[added]])
        elif of_attention := attention_masks(node.op):
            masks.update(node.operands[i] for i in of_attention)
        elif _keeps_elements(node) and (scores | masks).intersection(node.results):
            real = {v for v in node.operands if graph.values[v].dtype.is_float and graph.values[v].size > 1}
            added = masks.intersection(node.results) or (_adds(node) and len(real) > 1)
            (masks if added else scores).update(real)
    return frozenset(masks)


def _keeps_elements(node: Node) -> bool:
    """Return True if a number far from zero can be an element of the result, once or many times."""
    if node.op.family == "shape":
        return True
    names = _tile_ops(node)
    return not names.isdisjoint(CARRYING)


def _adds(node: Node) -> bool:
    return not _tile_ops(node).isdisjoint(_ADDING)


def _tile_ops(node: Node) -> frozenset[str]:
    nest = element_nest(node.op)
    return frozenset(tile_op.name for tile_op in nest.body) if nest and not nest.reductions else frozenset()
