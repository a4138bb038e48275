"""Fitting of device parameters to a program's profile: one for each group of similar ops, if it helps."""

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
"""Parameters that depend on the board and the library's release, each of which a group of ops can determine."""
FEWEST = 3
"""Minimum number of ops in a group to determine a parameter."""
TRIED = 3
"""Number of parameters to try for a group, those with the largest influence."""
_FARTHEST = math.log(4)
"""The search range of a parameter is a factor of four either way; larger differences have other causes."""
_STEP = 1.05
_LEAST = 0.02
"""Minimum relative change of a group's time per relative change of a parameter."""


@dataclass(frozen=True)
class MeasuredOp:
    """An op with its measurement."""

    device_op: DeviceOp
    ns: float


@dataclass(frozen=True)
class Refit:
    """A changed parameter."""

    path: str
    measured: str
    """The ops that determined it, in the notation of the device's `calibration`."""
    ops: int
    before: str
    after: str
    error_before: float
    """Mean of |predicted / measured - 1| over these ops."""
    error_after: float


@dataclass(frozen=True)
class Refitted:
    """The fitted device, and its derivation."""

    system: SystemDesc
    changes: tuple[Refit, ...]
    ops: int
    """Number of the program's ops in the profile."""
    missing: int
    """Number of ops not in the profile."""


@dataclass(frozen=True)
class _Group:
    name: str
    pairs: Sequence[MeasuredOp]

    def loss(self, chip: ChipDesc) -> float:
        """Return the sum of absolute logarithms of predicted over measured time."""
        return sum(abs(math.log(predict(p.device_op, chip).total_ns / p.ns)) for p in self.pairs)

    def error(self, chip: ChipDesc) -> float:
        return mean(abs(predict(p.device_op, chip).total_ns / p.ns - 1) for p in self.pairs)

    @cached_property
    def measured_ns(self) -> float:
        return sum(p.ns for p in self.pairs)

    def total(self, chip: ChipDesc) -> float:
        return sum(predict(p.device_op, chip).total_ns for p in self.pairs)


def refit(binary: Binary, function: Function, profile: Path) -> Refitted:
    """Return the program's device with parameters fitted to a profile of the function.

    Ops are grouped as measurements are: by kernel, by bound or shortness, and by memories. Groups are processed by
    decreasing time. Each determines one of the parameters with the largest influence on its time that is not yet
    determined: the one that improves the agreement of all ops most, if any does.

    Raises:
        InputError: the file is not a profile, or no run of its ops matches the function's.
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
    changed = what_if(system, texts, fit=profile.name).system if texts else system
    return Refitted(changed, tuple(changes), len(found), len(ops) - len(found))


def _groups(pairs: Sequence[MeasuredOp], chip: ChipDesc) -> list[_Group]:
    """Group ops by the closest similarity that enough of them share, without overlap; the longest time first."""
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
    """Return a few undetermined parameters with the largest influence on the group's time."""
    shares = {path: share for path in FREE if path not in taken and (share := _share(of, chip, path)) >= _LEAST}
    return sorted(shares, key=lambda path: -shares[path])[:TRIED]


def _changed(of: _Group, chip: ChipDesc, path: str) -> tuple[Refit, ChipDesc]:
    """Return the parameter at its best value for the group, and the chip with it."""
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
    """Return the relative change of the group's time per relative change of the parameter."""
    moved = with_figures(chip, (path,), (read(chip, path) / _STEP,))
    return abs(of.total(moved) / of.total(chip) - 1) / (_STEP - 1)
