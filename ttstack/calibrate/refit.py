"""Figures that make a program's predictions agree with its profile: one for each group of like ops, where it pays."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

from ttstack.calibrate.profile import match_measurements, read_profile
from ttstack.cost import predict
from ttstack.cost.measured_class import measured_keys
from ttstack.device.device_op import DeviceOp
from ttstack.diagnostics import InputError
from ttstack.program.launched import launched_positions
from ttstack.program.records import Binary, Function
from ttstack.report.op_codes import op_code
from ttstack.system_desc import ChipDesc, SystemDesc
from ttstack.system_desc.chip_figures import read, spell_figure, with_figures
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
"""Figures that depend on a board and on the release of its library, each of which a group of ops can determine."""
FEWEST = 3
"""Ops of a group that determine a figure."""
TRIED = 3
"""Figures that are tried for a group, of those that its time depends on the most."""
_FARTHEST = math.log(4)
"""A figure is looked for within four times either way; further away, something else is wrong."""
_STEP = 1.05
_LEAST = 0.02
"""How much a group's time changes at least with a step of a figure that it determines, of the step."""


@dataclass(frozen=True)
class MeasuredOp:
    """An op beside what was measured of it."""

    device_op: DeviceOp
    ns: float


@dataclass(frozen=True)
class Refit:
    """One figure that was changed."""

    path: str
    measured: str
    """The ops that determined it, as the device's `calibration` names measurements that are alike."""
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
class _Group:
    name: str
    pairs: Sequence[MeasuredOp]

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

    Ops are alike as measurements are: of one kernel, short or bound by the same, in the same memories. The group with
    the longest time comes first; of the figures that its time depends on the most and that no group before it has,
    it determines the one that makes all ops of the program agree best, if any makes them agree better.

    Raises:
        InputError: the file is no profile, or no run of its ops is like the function's.
    """
    chip, system = binary.chip(function), binary.system_desc
    ops = [function.device_op(function.operations[at]) for at in launched_positions(function)]
    found = match_measurements([op_code(op) for op in ops], read_profile(profile))
    if not found:
        raise InputError(
            f"no op of {profile} is like one of '{function.name}'", hint="profile the program itself, pass by pass"
        )
    changes: list[Refit] = []
    every = _Group("", [MeasuredOp(ops[i], ns) for i, ns in found.items()])
    for of in _groups(every.pairs, chip):
        tried = [_changed(of, chip, path) for path in _determined(of, chip, {c.path for c in changes})]
        better = [
            (every.loss(after), change, after) for change, after in tried if change.error_after < change.error_before
        ]
        loss, change, after = min(better, key=lambda found: found[0], default=(math.inf, None, chip))
        if change is not None and loss < every.loss(chip):
            changes.append(change)
            chip = after
    texts = [f"{c.path}={c.after}" for c in changes]
    changed = what_if(system, texts).system if texts else system
    return Refitted(changed, tuple(changes), len(found), len(ops) - len(found))


def _groups(pairs: Sequence[MeasuredOp], chip: ChipDesc) -> list[_Group]:
    """Ops by the closest likeness that enough of them have, none in two groups; the longest time first."""
    left = [(measured_keys(p.device_op, predict(p.device_op, chip)), p) for p in pairs]
    made: list[_Group] = []
    for depth in range(max((len(keys) for keys, _ in left), default=0)):
        groups: defaultdict[str, list[MeasuredOp]] = defaultdict(list)
        for keys, pair in left:
            groups["".join(keys[depth : depth + 1])].append(pair)
        made += [_Group(name, members) for name, members in groups.items() if name and len(members) >= FEWEST]
        taken = {of.name for of in made}
        left = [(keys, pair) for keys, pair in left if taken.isdisjoint(keys[: depth + 1])]
    return sorted(made, key=lambda of: -of.measured_ns)


def _determined(of: _Group, chip: ChipDesc, taken: set[str]) -> list[str]:
    """The figures that no group has and that the group's time depends on the most, a few of them."""
    shares = {path: share for path in FREE if path not in taken and (share := _share(of, chip, path)) >= _LEAST}
    return sorted(shares, key=lambda path: -shares[path])[:TRIED]


def _changed(of: _Group, chip: ChipDesc, path: str) -> tuple[Refit, ChipDesc]:
    """The figure at its best value for the group, and the chip with it."""
    optimize: Any = import_module("scipy.optimize")

    start = read(chip, path)
    most = min(_FARTHEST, -math.log(start)) if path.endswith("_fraction") else _FARTHEST

    def loss(x: float) -> float:
        return of.loss(with_figures(chip, (path,), (start * math.exp(x),)))

    found: Any = optimize.minimize_scalar(loss, bounds=(-_FARTHEST, most), method="bounded", options={"xatol": 1e-3})
    after = with_figures(chip, (path,), (start * math.exp(float(found.x)),))
    texts = spell_figure(chip, path), spell_figure(after, path)
    return Refit(path, of.name, len(of.pairs), *texts, of.error(chip), of.error(after)), after


def _share(of: _Group, chip: ChipDesc, path: str) -> float:
    """By how much the group's time changes with the figure, relative to the figure's own change."""
    moved = with_figures(chip, (path,), (read(chip, path) / _STEP,))
    return abs(of.total(moved) / of.total(chip) - 1) / (_STEP - 1)
