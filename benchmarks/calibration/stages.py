"""What is fitted to what: figures of a description, and the measurements that determine them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from expressed import Expressed

from ttstack.system_desc import ChipDesc


@dataclass(frozen=True)
class Stage:
    """Figures that one kind of measurement determines, and the rows that they are fitted to."""

    source: str
    kinds: tuple[str, ...]
    """Classes of rows."""
    starts: Mapping[str, float]
    """Dotted paths in the chip, and where the search for each begins: what is fitted depends on the rows alone."""
    rows: str = ""
    """What must be found in the row's file, table and op."""
    preset: str = "wormhole"

    @property
    def paths(self) -> tuple[str, ...]:
        """The figures that are fitted."""
        return tuple(self.starts)

    def takes(self, row: Expressed) -> bool:
        """Whether the row is one that the figures are fitted to."""
        blackhole = row.row.blackhole
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
        {
            "launch.base_ns": 2500,
            "launch.ns_per_kernel": 65,
            "launch.ns_per_kib": 64,
            "launch.config_ns": 300,
            "launch.ns_per_kernel_group": 600,
            "launch.group_text_ns": 470,
            "launch.ns_per_core": 9.3,
            "launch.ns_per_runtime_arg": 8.1,
            "launch.op_gap_ns": 880,
        },
    ),
    Stage(
        "sweeps of add, relu and sum 2024-12, exp sweep, and one tile of add 2026-08, n150",
        ("elementwise", "binary elementwise", "reduction"),
        {
            "dram.streamed_write_fraction": 150 / 288,
            "unpack.page_cycles": 14,
            "noc.interleaved_read_bytes_per_cycle": 280,
            "pipeline.page_exponent": 2.3,
            "pipeline.fill_cycles": 630,
            "pipeline.reader_cycles": 160,
            "pipeline.operand_cycles": 520,
            "pipeline.reduce_cycles": 1300,
        },
        rows=r"^sweeps|exp_dataset|exp sweep|32x32 .*(unary:identity|binary:add|binary:sub)$",
    ),
    Stage(
        "layer and RMS norms of traces 2024-09 to 2026-08, Wormhole",
        ("norm",),
        {"rows.pass_cycles": 340, "rows.tile_cycles": 110},
    ),
    Stage(
        "rotary embeddings of decode steps 2026-08, n150, three rows (two of a p150 agree)",
        ("rotary embedding",),
        {"rows.rotary_factor": 2},
    ),
    Stage(
        "GEMM_FLOPS, TRISC1 cycles, and ttnn-op-runtime-predictor matmul_height_sharded.csv",
        ("matmul, trisc1_cycles_trace", "matmul, height-sharded"),
        {
            "matrix.product_overhead_cycles": 3.4,
            "matrix.subblock_cycles": 64,
            "pack.bytes_per_cycle": 46,
            "riscv.page_cycles": 33,
            "pipeline.knee_exponent": 6.9,
        },
    ),
    Stage(
        "GEMM_FLOPS, host against device columns, and out of box",
        ("matmul, host_trace_avg", "matmul, out of box"),
        {"clock.sustained_fraction": 0.9, "dram.product_write_fraction": 90 / 288},
    ),
    Stage("DRAMTile, NoC 1", ("dram bandwidth",), {"dram.interleaved_write_fraction": 140 / 288}),
    Stage(
        "FlashDecode.md figure 4, and attention of a Galaxy chip and decode steps 2026-08, Wormhole",
        ("flash attention", "decode attention"),
        {
            "attention.softmax_cycles_per_tile": 270,
            "attention.chunk_cycles": 3000,
            "attention.merge_cycles": 3000,
            "attention.merge_tile_cycles": 1400,
        },
        rows="^(op_tables|decode)",
    ),
    Stage(
        "tt-mlir ds-perf, one-token products 2026-08, n150",
        ("matmul, new tokens",),
        {
            "dram.weights_read_fraction": 240 / 288,
            "dram.block_read_fraction": 0.7,
            "matrix.sharded_weights_cycles": 4600,
        },
        rows="^decode_matmul",
    ),
    Stage(
        "tt-metal one-token products 2026-05, p150",
        ("matmul, new tokens",),
        {
            "dram.weights_read_fraction": 0.95,
            "matrix.sharded_weights_cycles": 3000,
        },
        rows="^decode_matmul",
        preset="blackhole_p150",
    ),
    Stage(
        "one tile of add and subtract 2026-08, p100a",
        ("elementwise", "binary elementwise"),
        {
            "pipeline.operand_cycles": 220,
        },
        rows=r"32x32 .*binary:(add|sub)",
        preset="blackhole_p150",
    ),
    Stage(
        "tt-npe traces, and traces of Segformer, DistilBERT and decode steps, 2024-09 to 2026-08, Wormhole",
        _MOVES,
        {
            "movement.start_cycles": 230,
            "movement.math_start_cycles": 1100,
            "movement.untilize_row_cycles": 620,
            "movement.wide_untilize_cycles": 330,
            "movement.halo_fraction": 0.17,
            "movement.link_fraction": 0.65,
            "movement.dram_fraction": 0.72,
        },
    ),
    Stage(
        "tt-npe traces",
        ("reshard",),
        {
            "movement.contention_exponent": 1.2,
        },
    ),
    Stage(
        "CCL benchmark of tt-metal 2026-09, 2, 4 and 8 Wormhole chips",
        ("collective",),
        {
            "ethernet.setup_ns": 1800,
            "ethernet.step_ns": 4500,
            "ethernet.gather_step_ns": 2200,
            "ethernet.own_gather_fraction": 0.51,
            "ethernet.own_exchange_fraction": 0.51,
            "ethernet.reduce_fraction": 0.76,
        },
    ),
    Stage(
        "golden bandwidth of tt-metal's fabric 2026-02, 8 chips of a T3000",
        ("fabric",),
        {
            "ethernet.wire_fraction": 0.93,
            "ethernet.fabric.line_packet_ns": 360,
            "ethernet.fabric.exchange_packet_ns": 490,
            "ethernet.fabric.mesh_packet_ns": 540,
            "ethernet.fabric.atomic_ns": 100,
            "ethernet.fabric.multicast_atomic_ns": 260,
        },
    ),
    Stage(
        "traces of CLIP, DeepSeek and OFT 2026-04, p150",
        (*_MOVES, "reshape"),
        {
            "movement.start_cycles": 200,
            "movement.address_cycles": 54,
            "movement.math_start_cycles": 310,
            "movement.tilize_cycles": 67,
            "movement.untilize_row_cycles": 380,
            "movement.untilize_cycles": 77,
            "movement.halo_fraction": 0.32,
            "movement.element_cycles": 34,
            "movement.copy_bytes_per_cycle": 0.29,
            "movement.dram_fraction": 0.68,
            "riscv.store_bytes_per_cycle": 1.3,
            "gather.index_cycles": 95,
        },
        preset="blackhole_p150",
    ),
)
"""In this order: a later one takes the figures of those before as they are."""
BOUNDS = {"clock.sustained_fraction": 1.0, "dram.weights_read_fraction": 0.98}
"""Figures that cannot be larger."""


def stages_of(chip: ChipDesc) -> tuple[Stage, ...]:
    """The stages that determine figures of a chip of this architecture."""
    return tuple(stage for stage in STAGES if ("blackhole" in stage.preset) == (chip.arch == "blackhole"))


def parameters(stages: tuple[Stage, ...]) -> dict[str, str]:
    """Where each fitted figure stands in the chip, and its source."""
    return {path: f"FIT to {stage.source}" for stage in stages for path in stage.paths}
