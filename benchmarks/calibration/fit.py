"""Fit the free parameters of a preset: `python fit.py ROWS.csv [--folds 5] [--write PRESET.yaml]`.

Each parameter is a physical quantity of the device description. Residuals are logarithms of predicted over
measured, every class of measurements weighs the same. With `--folds`, each shape is predicted by a fit that has not
seen it.
"""

import argparse
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from evaluate import Judged, express_all, judge, summary
from expressed import Expressed
from preset import with_figure
from rows import read_rows
from scipy.optimize import least_squares

from ttstack.system_desc import ChipDesc, load

PARAMETERS = {
    "clock.sustained_fraction": "FIT to GEMM_FLOPS, host against device columns",
    "dram.multicast_sender_bytes_per_second": "FIT to GEMM_FLOPS, rows bound by the weights' stream",
    "dram.interleaved_write_bytes_per_second": "FIT to GEMM_FLOPS and DRAMTile, NoC 1",
    "dram.interleaved_read_write_bytes_per_second": "FIT to ttnn-op-runtime-predictor exp sweep, 32-bit rows",
    "vector.cycles_per_tile.exp": "FIT to ttnn-op-runtime-predictor exp sweep on an n150",
    "vector.cycles_per_tile.silu": "FIT to tt-metal PR 41949, the kernel in use",
    "unpack.bytes_per_cycle": "FIT to GEMM_FLOPS",
    "pack.k_block_cycles_per_tile": "FIT to GEMM_FLOPS",
    "riscv.page_cycles": "FIT to tt-npe traces of interleaved_to_sharded",
    "noc.multicast.latency_cycles": "FIT to GEMM_FLOPS, one exchange a block along K",
    "launch.base_ns": "FIT to pgm_dispatch_golden.json 2025-12-18, programs without arguments",
    "launch.ns_per_kib": "FIT to pgm_dispatch_golden.json 2025-12-18, KiB of all kernels together",
    "launch.op_gap_ns": "FIT to GEMM_FLOPS, host against device columns",
    "launch.start_skew_ns": "FIT to GEMM_FLOPS and ttnn-op-runtime-predictor exp sweep",
    "pipeline.fill_cycles": "FIT to GEMM_FLOPS and ttnn-op-runtime-predictor exp sweep",
    "attention.softmax_cycles_per_tile": "FIT to FlashAttention.md figure 6",
    "attention.query_row_cycles": "FIT to FlashAttention.md figure 6",
}
"""Where each fitted figure stands in the chip, and what it is mostly determined by."""
BOUNDS = {"clock.sustained_fraction": 1.0}
WEIGHTS = {"matmul, device_kernel": 0.2, "reshard": 0.2}
"""Classes that count for less: formats, fidelity and configuration are not recorded; links are not modelled."""
SAMPLE = 100
"""Rows of a class that take part in the fit; the largest classes are sweeps of one op."""


def main() -> None:
    """Print the fitted parameters and the table by class."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--write", type=Path, help="a preset's YAML file, to be changed in place")
    parser.add_argument("--system-desc", default="wormhole")
    options = parser.parse_args()
    chip = load(options.system_desc).chips[0]
    rows, _ = express_all(read_rows(options.rows), chip)
    fitted = fit(rows, chip)
    if options.write:
        _write(fitted, options.write)
    lines = [f"{name}: {read(fitted, name):.6g}  (was {read(chip, name):.6g})" for name in PARAMETERS]
    lines += ["", "in sample:", *summary(judge(rows, fitted))]
    if options.folds:
        lines += [
            "",
            f"{options.folds} folds over shapes:",
            *summary(cross_validate(rows, chip, options.folds)),
        ]
    sys.stdout.write("\n".join(lines) + "\n")


def _write(chip: ChipDesc, path: Path) -> None:
    text = path.read_text()
    for name, source in PARAMETERS.items():
        text = with_figure(text, name, read(chip, name), source)
    path.write_text(text)


def fit(rows: Sequence[Expressed], chip: ChipDesc) -> ChipDesc:
    """The chip with the parameters that fit the rows best."""
    chosen = _sample(rows)
    sizes = Counter(row.kind for row in chosen)
    weights = np.array([(WEIGHTS.get(row.kind, 1.0) / sizes[row.kind]) ** 0.5 for row in chosen])
    measured = np.log([row.measured_us for row in chosen])
    start = np.log([read(chip, name) for name in PARAMETERS])

    def residuals(x: np.ndarray) -> np.ndarray:
        trial = _with(chip, np.exp(x))
        return weights * (np.log([row.forecast(trial).us for row in chosen]) - measured)

    high = np.log([BOUNDS.get(name, np.inf) for name in PARAMETERS])
    solution = least_squares(residuals, start, bounds=(-np.inf, high), loss="soft_l1", f_scale=0.05, x_scale=0.3)
    return _with(chip, np.exp(solution.x))


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


def _with(chip: ChipDesc, values: np.ndarray) -> ChipDesc:
    for name, value in zip(PARAMETERS, values, strict=True):
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
