"""Figures that make a program's predictions agree with its profile: one for each class of ops, where it pays."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

from ttstack.calibrate.profile import matched, read_profile
from ttstack.cost import predict
from ttstack.cost.measured_class import measured_class
from ttstack.device.device_op import DeviceOp
from ttstack.diagnostics import InputError
from ttstack.program.launched import launched
from ttstack.program.records import Binary, Function
from ttstack.report.op_codes import op_code
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.chip_figures import read, spelled, with_figures
from ttstack.system_desc.what_if import what_if

FREE = (
    "pipeline.fill_cycles",
    "pipeline.reduce_cycles",
    "dram.interleaved_read_fraction",
    "dram.streamed_write_fraction",
    "dram.interleaved_write_fraction",
    "dram.product_write_fraction",
    "dram.block_read_fraction",
    "dram.weights_read_fraction",
    "noc.interleaved_read_bytes_per_cycle",
    "noc.multicast.latency_cycles",
    "unpack.bytes_per_cycle",
    "matrix.subblock_cycles",
    "rows.pass_cycles",
    "rows.tile_cycles",
    "attention.softmax_cycles_per_tile",
    "attention.decode_cycles",
)
"""Figures that depend on a board and on the release of its library, each of which a class of ops can determine."""
FEWEST = 3
"""Ops of a class that determine a figure."""
_FARTHEST = math.log(4)
"""A figure is looked for within four times either way; further away, something else is wrong."""
_STEP = 1.05
_LEAST = 0.02
"""How much a class's time changes at least with a step of a figure that it determines, of the step."""


@dataclass(frozen=True)
class Pair:
    """An op beside what was measured of it."""

    device_op: DeviceOp
    ns: float


@dataclass(frozen=True)
class Refit:
    """One figure that was changed."""

    path: str
    measured: str
    """The class of ops that determined it."""
    ops: int
    before: str
    after: str
    error_before: float
    """Mean of |predicted / measured - 1| over these ops."""
    error_after: float


@dataclass(frozen=True)
class Refitted:
    """Another device, and how it came about."""

    system: SystemDesc
    changes: tuple[Refit, ...]
    ops: int
    """Ops of the program that the profile has."""
    missing: int
    """Those that it does not have."""


@dataclass(frozen=True)
class _Class:
    name: str
    pairs: Sequence[Pair]

    def loss(self, chip: ChipDesc) -> float:
        """Sum of the logarithms of predicted over measured, either way."""
        return sum(abs(math.log(predict(p.device_op, chip).total_ns / p.ns)) for p in self.pairs)

    def error(self, chip: ChipDesc) -> float:
        return mean(abs(predict(p.device_op, chip).total_ns / p.ns - 1) for p in self.pairs)

    @cached_property
    def measured_ns(self) -> float:
        return sum(p.ns for p in self.pairs)

    def total(self, chip: ChipDesc) -> float:
        return sum(predict(p.device_op, chip).total_ns for p in self.pairs)


def refit(binary: Binary, function: Function, profile: Path) -> Refitted:
    """The program's device with figures that fit a profile of the function.

    The class with the longest time comes first; it determines the figure that its time depends on the most, of those
    that no class before it has.

    Raises:
        InputError: the file is no profile, or no run of its ops is like the function's.
    """
    chip, system = binary.chip(function), binary.system_desc
    ops = [function.device_op(function.operations[at]) for at in launched(function)]
    found = matched([op_code(op) for op in ops], read_profile(profile))
    if not found:
        raise InputError(
            f"no op of {profile} is like one of '{function.name}'", hint="profile the program itself, pass by pass"
        )
    changes: list[Refit] = []
    for of in _classes([Pair(ops[i], ns) for i, ns in found.items()]):
        change = _changed(of, chip, {c.path for c in changes})
        if change is not None:
            changes.append(change[0])
            chip = change[1]
    texts = [f"{c.path}={c.after}" for c in changes]
    changed = what_if(system, texts).system if texts else system
    return Refitted(changed, tuple(changes), len(found), len(ops) - len(found))


def _classes(pairs: Sequence[Pair]) -> list[_Class]:
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[measured_class(pair.device_op)].append(pair)
    made = [_Class(name, members) for name, members in groups.items() if name and len(members) >= FEWEST]
    return sorted(made, key=lambda of: -of.measured_ns)


def _changed(of: _Class, chip: ChipDesc, taken: set[str]) -> tuple[Refit, ChipDesc] | None:
    """The figure that the class's time depends on the most, at its best value; None where none makes it better."""
    optimize: Any = import_module("scipy.optimize")

    path, share = max(((p, _share(of, chip, p)) for p in FREE if p not in taken), key=lambda of_path: of_path[1])
    if share < _LEAST:
        return None
    start = read(chip, path)
    most = min(_FARTHEST, -math.log(start)) if path.endswith("_fraction") else _FARTHEST

    def loss(x: float) -> float:
        return of.loss(with_figures(chip, (path,), (start * math.exp(x),)))

    found: Any = optimize.minimize_scalar(loss, bounds=(-_FARTHEST, most), method="bounded", options={"xatol": 1e-3})
    best = float(found.x)
    after = with_figures(chip, (path,), (start * math.exp(best),))
    before, now = of.error(chip), of.error(after)
    if now >= before:
        return None
    return Refit(path, of.name, len(of.pairs), spelled(chip, path), spelled(after, path), before, now), after


def _share(of: _Class, chip: ChipDesc, path: str) -> float:
    """By how much the class's time changes with the figure, relative to the figure's own change."""
    moved = with_figures(chip, (path,), (read(chip, path) / _STEP,))
    return abs(of.total(moved) / of.total(chip) - 1) / (_STEP - 1)
