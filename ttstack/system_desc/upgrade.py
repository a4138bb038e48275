"""Descriptions in programs of earlier ttstack versions: removed fields, and replacements of new ones."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.releases import release_of
from ttstack.system_desc.shares import state_shares

RETIRED = (
    "clock.throttle_onset_ns",
    "dram.interleaved_read_write_bytes_per_second",
    "dram.multicast_sender_bytes_per_second",
    "unpack.peak_bytes_per_cycle",
    "unpack.subblock_overhead_cycles",
    "pack.k_block_cycles_per_tile",
    "noc.contended_bytes_per_cycle",
    "pipeline.writer_tail_fraction",
)
"""Dotted paths in a chip that no figure has any more."""

NEUTRAL: Mapping[str, float] = {
    "matrix.product_overhead_cycles": 0,
    "matrix.subblock_cycles": 0,
    "matrix.wide_copy_cycles_per_tile": 0,
    "matrix.reduce_down_fraction": 1,
    "vector.start_cycles": 0,
    "noc.contention_exponent": 2,
    "launch.ns_per_kernel": 0,
    "launch.config_ns": 0,
    "launch.ns_per_core": 0,
    "launch.group_text_ns": 0,
    "pipeline.stream_exponent": 4.7,
    "gather.page_cycles": 0,
    "dram.page_cycles": 0,
    "launch.config_ring_bytes": 69 * 1024,
    "ethernet.setup_ns": 0,
    "attention.max_cores_per_head": 16,
    "pcie.page_ns": 0,
    "pcie.to_device_call_ns": 0,
    "pcie.from_device_call_ns": 0,
    "dram.turn_fraction": 1,
    "unpack.page_cycles": 0,
    "noc.interleaved_read_bytes_per_cycle": 1e6,
    "noc.interleaved_write_bytes_per_cycle": 1e6,
    "pipeline.page_exponent": 8,
    "pipeline.reader_cycles": 0,
    "pipeline.operand_cycles": 0,
    "pipeline.shard_operand_cycles": 0,
    "pipeline.reduce_cycles": 0,
    "dram.block_read_fraction": 185 / 288,
    "dram.product_write_fraction": 141.8 / 288,
    "dram.weights_read_fraction": 1,
    "matrix.sharded_weights_cycles": 0,
    "attention.decode_cycles": 0,
    "attention.decode_chunk_tiles": 8,
    "attention.chunk_cycles": 0,
    "attention.merge_cores": 64,
    "attention.merge_cycles": 0,
    "attention.merge_tile_cycles": 0,
    "rows.pass_cycles": 0,
    "rows.tile_cycles": 100,
    "rows.stage_cycles": 0,
    "rows.weights_fraction": 0,
    "rows.rotary_factor": 3,
    "rows.scan_cycles": 0,
    "ethernet.step_ns": 0,
    "movement.start_cycles": 0,
    "movement.address_cycles": 0,
    "movement.math_start_cycles": 0,
    "movement.tilize_cycles": 0,
    "movement.untilize_row_cycles": 0,
    "movement.untilize_cycles": 0,
    "movement.wide_untilize_cycles": 0,
    "movement.halo_fraction": 1,
    "movement.update_cycles": 0,
    "movement.element_cycles": 0,
    "movement.copy_bytes_per_cycle": 1e6,
    "movement.pages_in_flight": 64,
    "movement.head_tiles": 1,
    "movement.window_readers": 1,
    "movement.contention_exponent": 2,
    "movement.link_fraction": 1,
    "movement.dram_fraction": 1,
}
"""New figures with their neutral values, which have no effect or match the former behaviour."""

_LAST_MONTH = "2026-08"
"""The month of presets before they named a release of `ttnn`."""


def upgrade(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a description with the current fields; current fields are unchanged."""
    chips = values.get("chips")
    if not isinstance(chips, list):
        return dict(values)
    return dict(values) | {"chips": [_upgrade(chip) for chip in cast(list[Any], chips)]}


def _upgrade(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    chip = _copy(cast(dict[str, Any], given))
    if any(_holds(chip, path) for path in RETIRED):
        _replace_retired(chip)
    state_shares(chip)
    _fill_in(chip, NEUTRAL.items())
    _gather_at_full_rate(chip)
    _state_errors(chip)
    _state_release(chip)
    return chip


def _state_release(chip: dict[str, Any]) -> None:
    """Descriptions named the month of a release; those of the last such month have the kernels of `NEWEST`."""
    month = chip.pop("library", None)
    if isinstance(month, str):
        chip.setdefault("ttnn", release_of("" if month >= _LAST_MONTH else month))
    if isinstance(chip.get("sources"), dict):
        cast(dict[str, Any], chip["sources"]).pop("library", None)


def _state_errors(chip: dict[str, Any]) -> None:
    """Add missing intervals of measurement classes: the mean error to both sides."""
    for measured in cast(dict[str, Any], chip.get("calibration") or {}).values():
        if isinstance(measured, dict) and isinstance(error := cast(dict[str, Any], measured).get("error"), float | int):
            cast(dict[str, Any], measured).update({"stated": error, "low": -error, "high": error} | measured)


def _gather_at_full_rate(chip: dict[str, Any]) -> None:
    """Set the rate of collectives to that of a link if the description has no other."""
    if isinstance(chip.get("ethernet"), dict):
        ethernet = cast(dict[str, Any], chip["ethernet"])
        sources = cast(dict[str, Any], chip["sources"]) if isinstance(chip.get("sources"), dict) else {}
        for name in ("line_gather_fraction", "ring_gather_fraction"):
            ethernet.pop(name, None)
        for name in ("line_gather_fraction", "ring_gather_fraction", "fabric.wire_fraction"):
            sources.pop(f"ethernet.{name}", None)
        fabric = cast(dict[str, Any], ethernet["fabric"]) if isinstance(ethernet.get("fabric"), dict) else {}
        wire = fabric.pop("wire_fraction", ethernet.get("effective_fraction"))
        for name in ("wire_fraction", "own_gather_fraction", "own_exchange_fraction"):
            ethernet.setdefault(name, wire)
        ethernet.setdefault("packet_bytes", 4096)
        ethernet.setdefault("gather_step_ns", ethernet.get("step_ns"))
        ethernet.setdefault("reduce_fraction", 1.0)


def _copy(part: dict[str, Any]) -> dict[str, Any]:
    return {name: _copy(cast(dict[str, Any], v)) if isinstance(v, dict) else v for name, v in part.items()}


def _holds(chip: dict[str, Any], path: str) -> bool:
    section, name = path.split(".")
    return isinstance(chip.get(section), dict) and name in chip[section]


def _replace_retired(chip: dict[str, Any]) -> None:
    for path in RETIRED:
        section, name = path.split(".")
        chip.get(section, {}).pop(name, None)
        chip.get("sources", {}).pop(path, None)
    _fill_in(chip, _stand_ins(chip))


def _fill_in(chip: dict[str, Any], figures: Iterable[tuple[str, Any]]) -> None:
    """Set missing figures of a chip, and create its missing sections if every chip has them."""
    for path, value in figures:
        section, name = path.split(".")
        if section not in chip and not ChipDesc.model_fields[section].is_required():
            continue
        part = chip.setdefault(section, {})
        if isinstance(part, dict):
            cast(dict[str, Any], part).setdefault(name, value)


def _stand_ins(chip: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Workers and channels side by side, as if the network's grid held nothing else."""
    dram = chip.get("dram", {})
    if "interleaved_write_bytes_per_second" in dram:
        yield "dram.streamed_write_bytes_per_second", dram["interleaved_write_bytes_per_second"]
    yield "dram.routers", [[0, 0]] * dram.get("num_channels", 0)
    rows, columns = chip.get("tensix_grid", (0, 0))
    yield "noc.worker_rows", list(range(rows))
    yield "noc.worker_columns", list(range(columns))
