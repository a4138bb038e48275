"""Rows picked by index: each is a read of its own, from wherever it lies."""

import math

from ttstack.cost.data_stream import Stream
from ttstack.cost.gather import FACE
from ttstack.cost.transfers import link_kind
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.loops import IndexingMap
from ttstack.ops.types import TILE, TensorType
from ttstack.system_desc import ChipDesc


def indirect_stream(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout, chip: ChipDesc) -> Stream:
    """The last parallel loop goes along a row, in tiles; all others count groups of 32 rows, or rows of a bag."""
    along = device_op.dispatch.parallel[-1]
    extents = device_op.core_domain
    rows = TILE * math.prod(extents[i] for i in set(which.loops) if i not in (None, along))
    element = layout.dtype.tile_bytes / TILE**2
    width = min(extents[along] * TILE, t.shape[-1]) * element
    size = width if not layout.tiled else FACE * element
    kind = link_kind(chip, in_l1=layout.in_l1, write=False)
    waits = kind.latency_cycles / max(chip.gather.rows_in_flight, 1)
    row = max(width / size * max(kind.issue_cycles, size / chip.noc.bytes_per_cycle(kind)), waits)
    nbytes = picked_bytes(device_op, which, t, layout)
    return Stream(
        rows * (row + chip.gather.index_cycles),
        dram_bytes=0 if layout.in_l1 else nbytes,
        noc_bytes=nbytes,
    )


def picked_bytes(device_op: DeviceOp, which: IndexingMap, t: TensorType, layout: Layout) -> float:
    """Bytes of all the rows that are picked, each as often as it is."""
    along, domain = device_op.dispatch.parallel[-1], device_op.dispatch.domain
    every = TILE * math.prod(domain[i] for i in set(which.loops) if i not in (None, along))
    return every * t.shape[-1] * layout.dtype.tile_bytes / TILE**2
