"""What is fitted to what: figures of a description, and the measurements that determine them."""

import re
from dataclasses import dataclass

from expressed import Expressed


@dataclass(frozen=True)
class Stage:
    """Figures that one kind of measurement determines, and the rows that they are fitted to."""

    source: str
    kinds: tuple[str, ...]
    """Classes of rows."""
    paths: tuple[str, ...]
    """Dotted paths in the chip."""
    rows: str = ""
    """What must be found in the row's file, table and op."""
    preset: str = "wormhole"

    def takes(self, row: Expressed) -> bool:
        """Whether the row is one that the figures are fitted to."""
        blackhole = row.row.arch.lower().startswith("blackhole")
        named = f"{row.row.file} {row.row.table} {row.row.op}"
        return (
            row.kind in self.kinds and blackhole == ("blackhole" in self.preset) and bool(re.search(self.rows, named))
        )


_MOVES = (
    "tilize",
    "untilize",
    "transpose",
    "interleaved to sharded",
    "sharded to interleaved",
    "moves and copies",
    "slice",
    "pad",
    "concat",
    "embedding",
    "caches",
    "heads",
    "halo",
)
"""Classes of ops that move data and compute nothing."""
STAGES = (
    Stage(
        "pgm_dispatch_golden.json 2025-12-18",
        ("dispatch", "dispatch with features"),
        (
            "launch.base_ns",
            "launch.ns_per_kernel",
            "launch.ns_per_kib",
            "launch.config_ns",
            "launch.ns_per_kernel_group",
            "launch.group_text_ns",
            "launch.ns_per_core",
            "launch.ns_per_runtime_arg",
            "launch.op_gap_ns",
        ),
    ),
    Stage(
        "sweeps of add, relu and sum 2024-12, exp sweep, and one tile of add 2026-08, n150",
        ("elementwise", "binary elementwise", "reduction"),
        (
            "dram.streamed_write_fraction",
            "dram.turn_fraction",
            "noc.interleaved_read_bytes_per_cycle",
            "noc.interleaved_write_bytes_per_cycle",
            "noc.dram_write.latency_cycles",
            "pipeline.page_exponent",
            "pipeline.fill_cycles",
            "pipeline.reader_cycles",
            "pipeline.operand_cycles",
            "pipeline.reduce_cycles",
        ),
        rows=r"^sweeps|exp_dataset|exp sweep|32x32 .*(unary:identity|binary:add|binary:sub)$",
    ),
    Stage(
        "layer and RMS norms of traces 2024-09 to 2026-08, Wormhole",
        ("norm",),
        ("rows.pass_cycles", "rows.tile_cycles"),
    ),
    Stage(
        "GEMM_FLOPS, TRISC1 cycles, and ttnn-op-runtime-predictor matmul_height_sharded.csv",
        ("matmul, trisc1_cycles_trace", "matmul, height-sharded"),
        (
            "matrix.product_overhead_cycles",
            "matrix.subblock_cycles",
            "pack.bytes_per_cycle",
            "riscv.page_cycles",
            "noc.multicast.link_fraction",
            "noc.multicast.latency_cycles",
            "pipeline.knee_exponent",
        ),
    ),
    Stage(
        "GEMM_FLOPS, host against device columns, and DRAMTile, NoC 1",
        ("matmul, host_trace_avg", "dram bandwidth"),
        ("clock.sustained_fraction", "dram.interleaved_write_fraction"),
    ),
    Stage(
        "FlashAttention.md figure 6",
        ("flash attention",),
        ("attention.softmax_cycles_per_tile", "attention.query_row_cycles"),
        rows="^calibration",
    ),
    Stage(
        "FlashDecode.md figure 4 and decode steps 2026-08, n150",
        ("decode attention",),
        (
            "attention.decode_cycles",
            "attention.chunk_cycles",
            "attention.merge_cycles",
            "attention.merge_tile_cycles",
        ),
    ),
    Stage(
        "tt-mlir ds-perf, one-token products 2026-08, n150",
        ("matmul, new tokens",),
        ("dram.weights_read_fraction", "matrix.sharded_weights_cycles"),
        rows="^decode_matmul",
    ),
    Stage(
        "one tile of add and subtract 2026-08, p100a",
        ("elementwise", "binary elementwise"),
        ("pipeline.operand_cycles",),
        rows=r"32x32 .*binary:(add|sub)",
        preset="blackhole_p150",
    ),
    Stage(
        "tt-npe traces, and traces of Segformer, DistilBERT and decode steps, 2024-09 to 2026-08, Wormhole",
        _MOVES,
        (
            "movement.start_cycles",
            "movement.math_start_cycles",
            "movement.tilize_cycles",
            "movement.untilize_row_cycles",
            "movement.wide_untilize_cycles",
            "movement.update_cycles",
            "movement.halo_fraction",
            "movement.link_fraction",
            "movement.dram_fraction",
        ),
    ),
    Stage("tt-npe traces", ("reshard",), ("movement.contention_exponent",)),
    Stage(
        "CCL benchmark of tt-metal 2026-09, 2 and 8 Wormhole chips",
        ("collective",),
        (
            "ethernet.setup_ns",
            "ethernet.step_ns",
            "ethernet.line_gather_fraction",
            "ethernet.ring_gather_fraction",
            "ethernet.reduce_fraction",
        ),
    ),
    Stage(
        "golden bandwidth of tt-metal's fabric 2026-02, 8 chips of a T3000",
        ("fabric",),
        (
            "ethernet.fabric.wire_fraction",
            "ethernet.fabric.line_packet_ns",
            "ethernet.fabric.exchange_packet_ns",
            "ethernet.fabric.mesh_packet_ns",
            "ethernet.fabric.atomic_ns",
            "ethernet.fabric.multicast_atomic_ns",
        ),
    ),
    Stage(
        "traces of CLIP, DeepSeek and OFT 2026-04, p150",
        (*_MOVES, "reshape"),
        (
            "movement.start_cycles",
            "movement.address_cycles",
            "movement.math_start_cycles",
            "movement.tilize_cycles",
            "movement.untilize_row_cycles",
            "movement.untilize_cycles",
            "movement.halo_fraction",
            "movement.element_cycles",
            "movement.copy_bytes_per_cycle",
            "movement.dram_fraction",
            "riscv.store_bytes_per_cycle",
            "gather.index_cycles",
        ),
        preset="blackhole_p150",
    ),
)
"""In this order: a later one takes the figures of those before as they are."""
BOUNDS = {"clock.sustained_fraction": 1.0, "dram.turn_fraction": 1.0}
"""Figures that cannot be larger."""


def stages_of(preset: str) -> tuple[Stage, ...]:
    """The stages that determine figures of a preset."""
    return tuple(stage for stage in STAGES if stage.preset == preset)


def parameters(stages: tuple[Stage, ...]) -> dict[str, str]:
    """Where each fitted figure stands in the chip, and its source."""
    return {path: f"FIT to {stage.source}" for stage in stages for path in stage.paths}
