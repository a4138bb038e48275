"""Parameters that can be in L1 before the program starts: small Tensor-Train cores, used by every lookup."""

from collections.abc import Iterator, Mapping, Sequence

from ttstack.device.kernel_class import is_chain
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.loops import Access
from ttstack.ops.types import TensorType, tile_shape
from ttstack.placement.graph import Graph
from ttstack.placement.grids import shard_grid, shard_layout
from ttstack.system_desc import ChipDesc

SHARE = 0.5
"""Maximum fraction of usable L1 for resident parameters, which reduces the space of all ops' buffers."""

COPIED = 0.25
"""Maximum fraction of usable L1 for parameters with a copy on each core."""


def resident(graph: Graph, homes: Sequence[Layout], chip: ChipDesc) -> Mapping[int, tuple[Layout, ...]]:
    """Return the parameters that only matmul chains read, by index, with their possible L1 layouts.

    Spread over all cores, page by page or slice by slice, as long as they fit; then each core gets copies of those
    that are smallest. Whichever are taken fit together.
    """
    device, banks = Grid(*chip.grid), chip.num_cores
    left = SHARE * chip.l1_usable_bytes
    layouts: dict[int, tuple[Layout, ...]] = {}
    nbytes_by_value: dict[int, int] = {}
    for value in _pick(graph):
        t = graph.values[value]
        spread = (homes[value].interleave(MemorySpace.L1), *_by_slices(t, homes[value], device))
        nbytes = max(layout.bank_bytes(t, banks) for layout in spread)
        if nbytes <= left:
            layouts[value], nbytes_by_value[value] = spread, nbytes
            left -= nbytes
    left = min(left, COPIED * chip.l1_usable_bytes)
    for value in sorted(layouts, key=lambda value: homes[value].nbytes(graph.values[value])):
        copied = shard_layout(homes[value], MemoryLayout.REPLICATED, device)
        left -= copied.bank_bytes(graph.values[value], banks) - nbytes_by_value[value]
        if left < 0:
            break
        layouts[value] += (copied,)
    return layouts


def _pick(graph: Graph) -> Iterator[int]:
    for value in graph.parameters:
        users = graph.users[value]
        gathered = [
            node.op.loops.inputs[position].access is Access.INDIRECT and is_chain(node.op.loops)
            for node, position in users
        ]
        if gathered and all(gathered) and value not in {*graph.pinned, *graph.outputs}:
            yield value


def _by_slices(t: TensorType, home: Layout, device: Grid) -> Iterator[Layout]:
    """Yield layouts with whole slices on each core, so that tiled Tensor-Train cores keep complete rows of tiles."""
    layout = shard_layout(home, MemoryLayout.HEIGHT_SHARDED, shard_grid(t, MemoryLayout.HEIGHT_SHARDED, device))
    if home.tiled and layout.shard(t)[0] % tile_shape(t.shape)[-2] == 0:
        yield layout
