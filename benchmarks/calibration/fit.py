"""Fit the free parameters of a preset: `python fit.py ROWS.csv [--folds 3] [--write PRESET.yaml]`.

Each parameter is a physical quantity of the device description. Residuals are logarithms of predicted over
measured, every class of measurements weighs the same. With `--folds`, each shape is predicted by a fit that has not
seen it.
"""

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from boards import chip_of, named_chip
from expressed import Expressed
from figures import by_class
from judged import Judged, express_all, judge
from preset import with_figure, with_section
from report import table
from rows import read_rows
from scipy.optimize import least_squares

from ttstack.system_desc import ChipDesc
from ttstack.system_desc.quantities import BYTES_PER_SECOND
from ttstack.system_desc.shares import RATES


@dataclass(frozen=True)
class Stage:
    """Figures that one kind of measurement determines, and the classes of rows that they are fitted to."""

    source: str
    kinds: tuple[str, ...]
    paths: tuple[str, ...]


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
        "ttnn-op-runtime-predictor exp sweep and tt-metal PR 41949, an n150",
        ("elementwise",),
        (
            "vector.cycles_per_tile.exp",
            "vector.cycles_per_tile.silu",
            "dram.streamed_write_fraction",
            "pipeline.fill_cycles",
        ),
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
    ),
    Stage("tt-npe traces", ("interleaved to sharded", "reshard"), ("gather.page_cycles", "noc.contention_exponent")),
)
"""In this order: a later one takes the figures of those before as they are."""
PARAMETERS = {path: f"FIT to {stage.source}" for stage in STAGES for path in stage.paths}
"""Where each fitted figure stands in the chip, and its source."""
CLASSES = {
    "matmul": ("matmul, host_trace_avg", "matmul, trisc1_cycles_trace"),
    "matmul_height_sharded": ("matmul, height-sharded",),
    "flash_attention": ("flash attention",),
    "elementwise": ("elementwise",),
    "reshard": ("reshard",),
    "interleaved_to_sharded": ("interleaved to sharded",),
}
"""Classes of measurements by the names that predictions refer to them by."""
BOUNDS = {"clock.sustained_fraction": 1.0}
ROUNDS = 2
"""Times that all stages are gone through: some share a figure."""
SAMPLE = 150
"""Rows of a class that take part in the fit; the largest classes are sweeps of one op."""


def main() -> None:
    """Print the fitted parameters and the table by class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--write", type=Path, help="a preset's YAML file, to be changed in place")
    parser.add_argument("--system-desc", default="wormhole")
    options = parser.parse_args()
    chip = named_chip(options.system_desc)
    rows, _ = express_all(read_rows(options.rows), chip)
    fitted = fit(rows, chip)
    judged = cross_validate(rows, chip, options.folds) if options.folds else []
    if options.write:
        _write(fitted, judged, options.write)
    lines = [f"{name}: {read(fitted, name):.6g}  (was {read(chip, name):.6g})" for name in PARAMETERS]
    lines += ["", "in sample:", *table("class", by_class(judge(rows, fitted)))]
    if options.folds:
        lines += [
            "",
            f"{options.folds} folds over shapes:",
            *table("class", by_class(judged)),
        ]
    sys.stdout.write("\n".join(lines) + "\n")


def _write(chip: ChipDesc, judged: list[Judged], path: Path) -> None:
    text = path.read_text()
    for name, source in PARAMETERS.items():
        text = with_figure(text, name, spelled(chip, name), source)
    if judged:
        text = with_section(text, "calibration", _calibration(judged), "DERIVED by cross-validation over shapes")
    path.write_text(text)


def _calibration(judged: list[Judged]) -> Iterator[str]:
    """A line for each class of ops: how many rows, their mean error, and the range of measured times."""
    for name, kinds in CLASSES.items():
        members = [j for j in judged if j.expressed.kind in kinds]
        times = [j.expressed.measured_us * 1e3 for j in members]
        if members:
            yield (
                f"{name}: {{rows: {len(members)}, error: {mean(abs(j.error) for j in members):.3f}, "
                f"bias: {mean(j.error for j in members):.3f}, "
                f"roofline_error: {mean(abs(j.roofline_error) for j in members):.3f}, "
                f"least_ns: {min(times):.0f}, most_ns: {max(times):.0f}}}"
            )


def fit(rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """The chip with the parameters that fit the rows best.

    The search starts from two digits of each figure, so that a fitted preset gives the same figures again.
    """
    chosen = _sample(rows)
    chip = _with(chip, tuple(PARAMETERS), np.array([_rounded(chip, path) for path in PARAMETERS]))
    for _ in range(ROUNDS):
        for stage in STAGES:
            chip = _fit_stage(stage, [row for row in chosen if row.kind in stage.kinds], chip)
    return chip


def _fit_stage(stage: Stage, rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """Least squares of the logarithms of predicted over measured; each class weighs the same, outliers less."""
    sizes = Counter(row.kind for row in rows)
    weights = np.array([sizes[row.kind] ** -0.5 for row in rows])
    measured = np.log([row.measured_us for row in rows])
    start = np.log([read(chip, path) for path in stage.paths])

    def residuals(x: np.ndarray) -> np.ndarray:
        trial = _with(chip, stage.paths, np.exp(x))
        return weights * (np.log([row.forecast(chip_of(row.row, trial)).us for row in rows]) - measured)

    high = np.log([BOUNDS.get(path, np.inf) for path in stage.paths])
    solution = least_squares(residuals, start, bounds=(start - 3, high), loss="soft_l1", f_scale=0.01, x_scale=0.3)
    return _with(chip, stage.paths, np.exp(solution.x))


def cross_validate(rows: Sequence[Expressed], chip: ChipDesc, folds: int) -> list[Judged]:
    """Each row judged by a fit on the shapes of the other folds."""
    judged: list[Judged] = []
    for fold in range(folds):
        held = [row for row in rows if _fold(row, folds) == fold]
        judged += judge(held, fit([row for row in rows if _fold(row, folds) != fold], chip))
    return judged


def read(chip: ChipDesc, path: str) -> float:
    """The figure at a dotted path."""
    value: Any = chip
    for name in path.split("."):
        value = value[name] if isinstance(value, dict) else getattr(value, name)
    return float(value)


def spelled(chip: ChipDesc, path: str) -> str:
    """The figure as presets spell it, to four digits: a share as the rate that was fitted over its peak."""
    whole = _peak(chip, path)
    return f"{read(chip, path):.4g}" if whole is None else f"{read(chip, path) * whole:.4g}/{whole:g}"


def _rounded(chip: ChipDesc, path: str) -> float:
    """The figure to two digits; of a share, those of the rate."""
    whole = _peak(chip, path) or 1.0
    return float(f"{read(chip, path) * whole:.1e}") / whole


def _peak(chip: ChipDesc, path: str) -> float | None:
    """What the figure is a share of, in GB/s or bytes a cycle; None of one that is no share."""
    rate = next((rate for rate in RATES if rate.share == path), None)
    if rate is None:
        return None
    return read(chip, rate.peak) / (1e9 if rate.dimension is BYTES_PER_SECOND else 1)


def _with(chip: ChipDesc, paths: Sequence[str], values: np.ndarray) -> ChipDesc:
    for name, value in zip(paths, values, strict=True):
        chip = _replaced(chip, name.split("."), float(value))
    return chip


def _replaced(part: Any, path: Sequence[str], value: float) -> Any:
    name, *rest = path
    if isinstance(part, dict):
        return type(part)({**part, name: value})
    new = _replaced(getattr(part, name), rest, value) if rest else value
    return part.model_copy(update={name: new})


def _sample(rows: Sequence[Expressed]) -> list[Expressed]:
    """At most `SAMPLE` rows of each class, evenly spaced."""
    sizes = Counter(row.kind for row in rows)
    seen: Counter[str] = Counter()
    chosen: list[Expressed] = []
    for row in rows:
        step = max(1, sizes[row.kind] // SAMPLE)
        if seen[row.kind] % step == 0:
            chosen.append(row)
        seen[row.kind] += 1
    return chosen


def _fold(row: Expressed, folds: int) -> int:
    return zlib.crc32(row.row.shape.encode()) % folds


if __name__ == "__main__":
    main()
