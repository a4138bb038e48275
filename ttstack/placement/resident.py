"""Parameters that can lie in L1 before the program starts: the cores of trains, small and read by every lookup."""

from collections.abc import Iterator, Sequence

from ttstack.ops.dispatch import Access
from ttstack.placement.graph import Graph
from ttstack.program.layout import Layout, MemorySpace
from ttstack.program.structure import is_chain
from ttstack.system_desc import ChipDesc

SHARE = 0.5
"""Of a core's usable L1: what is resident takes room from the buffers of all ops."""


def resident(graph: Graph, homes: Sequence[Layout], chip: ChipDesc) -> Iterator[int]:
    """Parameters that chains of products alone read, by index, as long as they fit: spread over all cores' L1."""
    left = SHARE * chip.l1_usable_bytes
    for value in graph.parameters:
        users = graph.users[value]
        picked = [node.op.loops.inputs[at].access is Access.INDIRECT and is_chain(node.op.loops) for node, at in users]
        if not picked or not all(picked) or value in {*graph.pinned, *graph.outputs}:
            continue
        layout = homes[value].interleaved(MemorySpace.L1)
        left -= layout.bank_bytes(graph.values[value], chip.num_cores)
        if left < 0:
            return
        yield value
