"""Figures that no predicted time depends on: what a what-if on one of them must say."""

from collections.abc import Iterable, Iterator

LIMITS = frozenset(
    (
        "l1.size_bytes",
        "l1.unreserved_base",
        "l1.reserved_top_bytes",
        "l1.alignment_bytes",
        "dram.unreserved_base",
        "dram.unreserved_end",
        "dram.alignment_bytes",
        "attention.key_chunk_tiles",
    )
)
"""Within which tensors are placed: a placement depends on them, and the time of a placed program does not."""
DESCRIBED = frozenset(
    (
        "coord_translation_offsets",
        "tensix_grid",
        "num_cbs",
        "supported_tile_sizes",
        "l1.num_banks",
        "l1.bank_port_bytes_per_cycle",
        "dram.channel_size_bytes",
        "dram.grid",
        "dram.bank_workers",
        "dram.channel_read_fraction",
        "dram.channel_write_fraction",
        "matrix.instruction_latency_cycles",
        "matrix.multiply_cycles_per_tile.lofi",
        "matrix.multiply_cycles_per_tile.hifi2",
        "matrix.multiply_cycles_per_tile.hifi3",
        "matrix.multiply_cycles_per_tile.hifi4",
        "vector.lanes",
        "vector.instruction_cycles",
        "vector.cycles_per_tile.tanh_approx",
        "vector.cycles_per_tile.softplus",
        "vector.cycles_per_tile.i0",
        "pack.accumulate_bytes_per_cycle",
        "riscv.compute_threads",
        "riscv.data_movement_threads",
        "riscv.load_bytes_per_cycle",
        "noc.max_packet_bytes",
        "noc.hop_cycles",
        "noc.interface_cycles",
        "noc.multicast.issue_cycles",
        "launch.ns_per_core",
        "launch.ns_per_runtime_arg",
        "ethernet.num_links",
        "ethernet.core_unreserved_base",
        "ethernet.fabric.wire_fraction",
        "ethernet.fabric.line_packet_ns",
        "ethernet.fabric.exchange_packet_ns",
        "ethernet.fabric.mesh_packet_ns",
        "ethernet.fabric.atomic_ns",
        "ethernet.fabric.multicast_atomic_ns",
        "pcie.alignment_bytes",
    )
)
"""Known of the device, and not used by the cost model for any op."""
JUDGED = "calibration."
"""Beginning of figures that say how predictions agree with measurements."""


def unpriced_notes(paths: Iterable[str]) -> Iterator[str]:
    """What to know of the paths on which no time depends, wherever tensors lie."""
    for path in paths:
        if path in DESCRIBED:
            yield f"{path} describes the device: no predicted time depends on it"
        elif path.startswith(JUDGED):
            yield f"{path} says how predictions agree with measurements: no predicted time depends on it"
