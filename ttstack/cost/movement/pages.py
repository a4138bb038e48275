"""Whole pages that go from one place to another: copies, moves to and from shards, slices and joins of whole tiles."""

import math

from ttstack.cost.links import reshard_load
from ttstack.cost.movement.ends import Ends, nbytes
from ttstack.cost.movement.kernel import Kernel, Side, Transfers
from ttstack.cost.movement.sides import side
from ttstack.cost.transfers import link_kind
from ttstack.device.layout import Layout
from ttstack.system_desc import ChipDesc


def copy_shards(ends: Ends, chip: ChipDesc) -> Kernel:
    """Shards that only move within the cores that hold them: long packets, nothing to wait for."""
    t, layout = ends.source
    held = ends.core_pages * nbytes(t, layout) / ends.pages
    packets = max(held / chip.noc.max_packet_bytes, 1.0)
    local = Transfers(chip.noc.local, packets, held / packets)
    return Kernel(ends.cores, 1, read=Side((local,), noc_bytes=held * ends.cores))


def copy_pages(ends: Ends, chip: ChipDesc, *, turned: bool = False) -> Kernel:
    """Pages of the result, each read from somewhere: a core waits for each of them unless one end is its own L1."""
    copied = chip.matrix.copy_cycles(ends.source[1].dtype.bits) if turned or ends.converts else 0.0
    pages = max(ends.core_pages, 1)
    both = not (ends.reads_own or ends.writes_own)
    _, target = ends.target
    source = ends.source[1]
    in_flight = 1.0 if both or not ends.in_place else chip.movement.pages_in_flight
    by_row = not target.tiled and not source.in_l1
    read = Side()
    if not ends.reads_own:
        waits = 1.0 if both or by_row else 1 / pages
        read = _side(ends, source, ends.read_bytes, waits, chip, write=False)
    written = Side()
    if not ends.writes_own:
        written = _side(ends, target, ends.written_bytes, 1 / in_flight, chip, write=True)
    return Kernel(ends.cores, pages, read, written, copied)


def cut_shards(ends: Ends, chip: ChipDesc) -> Kernel:
    """Shards cut anew: each core fetches the pages of its own, half of them over each network, and waits once."""
    (t, given), (_, made) = ends.source, ends.target
    pages = math.prod(made.shard(t)) / chip.noc.num_nocs
    moved = made.nbytes(t)
    link, port = reshard_load(chip, given, made, made.matrix(t))
    loads = (link / chip.noc.link_bytes_per_cycle, port / chip.noc.port_bytes_per_cycle)
    thread = Transfers(chip.noc.l1_read, pages, made.page_bytes(t))
    return Kernel(ends.cores, 1, Side((thread,), noc_bytes=moved, network=moved * max(loads)))


def pad_pages(ends: Ends, chip: ChipDesc) -> Kernel:
    """Pages of a larger result: one thread waits for those that there are, and sends all of them off."""
    (_, given), (t, made) = ends.source, ends.target
    share = ends.read_bytes / max(ends.written_bytes, 1.0)
    size = nbytes(t, made) / ends.pages
    read = Transfers(link_kind(chip, in_l1=given.in_l1, write=False), share, size, share)
    written = Transfers(link_kind(chip, in_l1=made.in_l1, write=True), 1, size, 0.0)
    return Kernel(
        ends.cores,
        ends.core_pages,
        write=side((read, written), made, ends.written_bytes, ends.grid, ends.cores, chip, write=True),
    )


def _side(ends: Ends, layout: Layout, moved: float, waits: float, chip: ChipDesc, *, write: bool) -> Side:
    each = Transfers(link_kind(chip, in_l1=layout.in_l1, write=write), 1, moved / ends.pages, waits)
    return side((each,), layout, moved, ends.grid, ends.cores, chip, write=write)
