"""Tiles that stay in the L1 of one core: functions, fused or phase by phase, sums, and subblocks of products."""

import re
from collections.abc import Mapping

from benchmarks.mechanisms.predicted import Prediction, UnsaidError
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

_FUNCTIONS = {"sqrt": "sqrt", "exp": "exp", "recip": "reciprocal"}
_CHAINS = {
    "exp(sqrt(a)+b)": ("sqrt", "add", "exp"),
    "sfpu_chain": ("sqrt", "add", "exp"),
    "sqrt(a)*b": ("sqrt", "mul"),
    "fpu_sfpu": ("sqrt", "mul"),
    "1/reduce(a)": ("reduce", "recip"),
    "reduce_recip": ("reduce", "recip"),
}
"""Phases of an expression, by its name."""
_FIDELITY = re.compile(r"LoFi|HiFi[234]")


def fusion(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """An expression as one kernel, or as one phase after the other."""
    case, variant = row["case"], row["variant"].split(",")[0]
    tiles = int(_number(r"(\d+) tiles", case))
    name = next((name for name in _CHAINS if case.startswith(name)), None)
    if name is None:
        raise UnsaidError("an expression that no phase is known of")
    phase = re.search(r"phase (\w+)", case)
    phases = _CHAINS[name] if phase is None or phase[1] == "CF_FUSED" else (phase[1],)
    fused = variant != "unfused"
    cycles = sum(_phase(each, tiles, variant, chip, first=not fused or i == 0) for i, each in enumerate(phases))
    return Prediction(chip.cycles_to_ns(cycles), "vector" if "sqrt" in phases else "matrix")


def _phase(name: str, tiles: int, variant: str, chip: ChipDesc, *, first: bool) -> float:
    """Cycles of one phase, a pass where it is a kernel's first; its first function waits for a tile to come to Dst."""
    return first * chip.rows.pass_cycles + _phase_work(name, tiles, variant, chip, first=first)


def _phase_work(name: str, tiles: int, variant: str, chip: ChipDesc, *, first: bool) -> float:
    if name == "reduce":
        return tiles * _sum_cycles("HiFi4", "row", chip)
    if name == "recip":
        return chip.vector.start_cycles + chip.vector.cycles_of("reciprocal")
    if name in _FUNCTIONS:
        return tiles * (first * chip.vector.start_cycles + chip.vector.cycles_of(_FUNCTIONS[name]))
    on_vector = not first and variant in ("fused", "sfpu")
    if on_vector:
        return tiles * chip.vector.cycles_of("multiply" if name == "mul" else name)
    unpacked = 2 * DType.BF16.tile_bytes / chip.unpack.bytes_per_cycle + chip.unpack.page_cycles
    math = chip.matrix.multiply_cycles_per_tile.hifi4 if name == "mul" else chip.matrix.eltwise_cycles_per_tile
    return tiles * chip.pipeline.overlap_units((math, unpacked, DType.BF16.tile_bytes / chip.pack.bytes_per_cycle))


def reduction(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Sums of tiles by the matrix unit."""
    if row["variant"] not in ("library", "reduce_tile"):
        raise UnsaidError("tiles added up in Dst and reduced by the vector unit: no kernel of an op does")
    case = row["case"]
    direction, fidelity = _found(r"over (row|col|scalar)", case), _FIDELITY.search(case)
    shape = re.search(r"of (\d+)x(\d+)x\d+ tiles", case)
    tiles = int(shape[1]) * int(shape[2]) if shape else int(_number(r"of (\d+) tiles", case))
    outputs = int(shape[{"row": 1, "col": 2}[direction]]) if shape and direction != "scalar" else 1
    each = _sum_cycles(fidelity[0] if fidelity else "HiFi4", direction, chip)
    packed = (outputs - 1) * DType.F32.tile_bytes / chip.pack.bytes_per_cycle
    return Prediction(chip.cycles_to_ns(chip.rows.pass_cycles + packed + tiles * each), "matrix.reduce, rows.pass")


def _sum_cycles(fidelity: str, direction: str, chip: ChipDesc) -> float:
    share = chip.matrix.reduce_down_fraction if direction == "col" else 1.0
    return max(
        share * chip.matrix.reduce_cycles_per_tile.at(fidelity), DType.BF16.tile_bytes / chip.unpack.bytes_per_cycle
    )


def subblocks(row: Mapping[str, str], chip: ChipDesc) -> Prediction:
    """Products with one step along K, by the subblock that goes to the packer at a time."""
    high, wide = map(int, _found(r"(\d+x\d+)", row["variant"]).split("x"))
    rows, columns, steps = map(int, _found(r"matmul (\d+x\d+x\d+)", row["case"]).split("x"))
    matrix, size = chip.matrix, DType.BF16.tile_bytes
    product = matrix.matmul_cycles_per_tile.hifi2 + matrix.product_overhead_cycles
    each = (
        product + matrix.subblock_cycles / (high * wide),
        (size + size / max(high, wide)) / chip.unpack.bytes_per_cycle,
        size / chip.pack.bytes_per_cycle,
    )
    repeats = int(_number(r"(\d+) repeats", row["case"]))
    cycles = rows * columns * steps * repeats * chip.pipeline.overlap_units(each)
    return Prediction(chip.cycles_to_ns(cycles), "matrix.subblock")


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise UnsaidError(f"'{text}' has no {pattern}")
    return found[1]


def _number(pattern: str, text: str) -> str:
    return _found(pattern, text)
