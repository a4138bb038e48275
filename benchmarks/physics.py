"""What no device does: ops, drawn by a seed and grown dimension by dimension, whose predictions break physics.

    python -m benchmarks.physics [--ops 300] [--seed 1] [--json FILE]

Each op is compiled alone, with each placement, at several extents of one dimension. Findings are: a time that falls
by more than 2 % while the dimension grows, a time below the roofline, a share over 100 %, a total that is not that of
the ops, a faster clock or DRAM that is slower, and a placement `optimal` that is slower than `greedy` by predicted
time alone (`placement_caution=0`). A fall that the library makes is explained: its kernels divide the larger op over
other cores or in other blocks (matmuls and norms over a number of tiles without divisors have blocks of one), or the
program is of other ops (slices that begin within a tile take several).
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import ttstack
from tests.ops.case import Case
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.report.model import OpReport, ReportFigures

Extents = Mapping[str, int]
"""Extents of an op by the names of its dimensions."""
PLACEMENTS = ("greedy", "dram", "optimal")
WHAT_IFS = ("clock=1.25GHz", "dram.peak_bytes_per_second=400e9")
"""Changes that cannot make a device slower than an n150, whose clock is 1 GHz and whose DRAM has 288 GB/s."""
FALL = 0.02
"""The share by which a time may fall while a dimension grows."""
_ROUNDING = 1e-9


def _t(*shape: int, dtype: DType = DType.BF16) -> TensorType:
    return TensorType(shape, dtype)


def _norm(mnemonic: str) -> Callable[[Extents], Case]:
    return lambda e: Case(
        mnemonic,
        (_t(e["rows"], e["columns"]), _t(e["columns"])),
        {"normalized_shape": (e["columns"],), "epsilon": 1e-5},
    )


def _matmul(e: Extents) -> Case:
    return Case("matmul", (_t(e["m"], e["k"]), _t(e["k"], e["n"])), {})


def _batched_matmul(e: Extents) -> Case:
    return Case("matmul", (_t(e["heads"], e["m"], 64), _t(e["heads"], 64, e["n"])), {})


def _elementwise(mnemonic: str, count: int) -> Callable[[Extents], Case]:
    return lambda e: Case(mnemonic, (_t(e["rows"], e["columns"]),) * count, {})


def _of_rows(mnemonic: str, **attributes: object) -> Callable[[Extents], Case]:
    return lambda e: Case(mnemonic, (_t(e["rows"], e["columns"]),), attributes)


def _concat(e: Extents) -> Case:
    return Case("concat", (_t(e["rows"], e["columns"]), _t(e["rows"], e["columns"])), {"dim": 1})


def _slice(e: Extents) -> Case:
    begins, ends = (0, e["columns"] // 2), (e["rows"], e["columns"])
    return Case("slice_static", (_t(e["rows"], e["columns"]),), {"begins": begins, "ends": ends, "step": (1, 1)})


def _argmax(e: Extents) -> Case:
    attributes = {"keep_dim": True, "dim_arg": (1,)}
    return Case("argmax", (_t(e["rows"], e["columns"]),), attributes, _t(e["rows"], 1, dtype=DType.I32))


def _typecast(e: Extents) -> Case:
    shape = e["rows"], e["columns"]
    return Case("typecast", (_t(*shape),), {}, _t(*shape, dtype=DType.F32))


def _windows(e: Extents) -> tuple[int, int]:
    """The channels, and the edge of an image with at most 2**22 numbers in so many channels."""
    return e["channels"], min(max(e["edge"] // 8, 8), int((1 << 22) ** 0.5 / e["channels"] ** 0.5))


def _convolution(e: Extents) -> Case:
    channels, edge = _windows(e)
    weight = _t(min(e["filters"], 512), channels, 3, 3)
    attributes = {"stride": 1, "padding": 1, "dilation": 1, "groups": 1}
    return Case("conv2d", (_t(1, edge, edge, channels), weight), attributes)


def _max_pool(e: Extents) -> Case:
    channels, edge = _windows(e)
    attributes = {"kernel": 3, "stride": 2, "padding": 1, "dilation": 1, "ceil_mode": False}
    return Case("max_pool2d", (_t(1, edge, edge, channels),), attributes)


def _heads(e: Extents) -> TensorType:
    return _t(1, e["tokens"], e["heads"], 64)


def _pad(e: Extents) -> Case:
    padding = (0, 32, 0, 32)
    return Case("pad", (_t(e["rows"], e["columns"]),), {"padding": padding, "value": 0.0})


def _attention(e: Extents) -> Case:
    t = _t(1, e["heads"], e["tokens"], 64)
    return Case("scaled_dot_product_attention", (t, t, t), {"is_causal": True})


def _embedding(e: Extents) -> Case:
    return Case("embedding", (_t(e["tokens"], dtype=DType.UI32), _t(e["rows"], e["columns"])), {})


KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Extents], Case]]] = {
    "matmul": (("m", "k", "n"), _matmul),
    "batched_matmul": (("heads", "m", "n"), _batched_matmul),
    "convolution": (("edge", "channels", "filters"), _convolution),
    "max_pool": (("edge", "channels"), _max_pool),
    "layer_norm": (("rows", "columns"), _norm("layer_norm")),
    "where": (("rows", "columns"), _elementwise("where", 3)),
    "argmax": (("rows", "columns"), _argmax),
    "mean of rows": (("rows", "columns"), _of_rows("mean", keep_dim=True, dim_arg=(0,))),
    "heads": (("heads", "tokens"), lambda e: Case("permute", (_heads(e),), {"permutation": (0, 2, 1, 3)})),
    "reshape": (
        ("heads", "tokens"),
        lambda e: Case("reshape", (_heads(e),), {"shape": (1, e["tokens"], e["heads"] * 64)}),
    ),
    "typecast": (("rows", "columns"), _typecast),
    "pad": (("rows", "columns"), _pad),
    "add": (("rows", "columns"), _elementwise("add", 2)),
    "exp": (("rows", "columns"), _elementwise("exp", 1)),
    "softmax": (("rows", "columns"), _of_rows("softmax", dimension=1)),
    "sum": (("rows", "columns"), _of_rows("sum", keep_dim=True, dim_arg=(1,))),
    "max": (("rows", "columns"), _of_rows("max", keep_dim=True, dim_arg=(0,))),
    "cumsum": (("rows", "columns"), _of_rows("cumsum", dim=1)),
    "permute": (("rows", "columns"), _of_rows("permute", permutation=(1, 0))),
    "concat": (("rows", "columns"), _concat),
    "slice": (("rows", "columns"), _slice),
    "rms_norm": (("rows", "columns"), _norm("rms_norm")),
    "attention": (("heads", "tokens"), _attention),
    "embedding": (("tokens", "rows", "columns"), _embedding),
}
"""The dimensions of each kind of op, and the op of such extents."""


@dataclass(frozen=True)
class Growth:
    """An op, and the dimension that grows."""

    kind: str
    extents: Extents
    grown: str

    def steps(self, count: int) -> Iterator[Extents]:
        """Yield the extents at each step: an eighth of the dimension more each time, in whole tiles."""
        start = self.extents[self.grown]
        step = max(start // 8, 1) if self.grown == "heads" else max(start // 256, 1) * 32
        for i in range(count):
            yield {**self.extents, self.grown: start + i * step}


@dataclass(frozen=True)
class Finding:
    """A prediction that breaks physics."""

    what: str
    kind: str
    where: str
    why: str = ""
    """What explains it; empty where nothing does."""


def draw(rng: Random) -> Growth:
    """Draw an op, its extents, and the dimension that grows."""
    kind = rng.choice(sorted(KINDS))
    names, _ = KINDS[kind]
    extents = {name: rng.choice((4, 8, 12)) if name == "heads" else rng.choice(_EXTENTS) for name in names}
    return Growth(kind, extents, rng.choice(names))


_EXTENTS = (32, 64, 96, 160, 256, 352, 512, 736, 1024, 1504, 2048)


def check(growth: Growth, *, steps: int = 6, placements: Sequence[str] = PLACEMENTS) -> Iterator[Finding]:
    """Compile an op at each step of its growth, and yield what breaks physics."""
    last: dict[str, ReportFigures] = {}
    for extents in growth.steps(steps):
        text = _text(growth.kind, extents)
        reports: dict[str, ReportFigures] = {}
        for placement in placements:
            program = ttstack.compile(text, placement=placement, placement_caution=0)
            report = reports[placement] = program.cost()
            where = f"{_spelled(extents)}, {placement}"
            for what in _faults(report):
                yield Finding(what, growth.kind, where)
            for change in WHAT_IFS:
                if program.what_if(change).after.total_ns > report.total_ns * (1 + _ROUNDING):
                    yield Finding(f"slower with {change}", growth.kind, where)
            before = last.get(placement, report)
            if report.total_ns < before.total_ns * (1 - FALL):
                fall = f"{before.total_ns / 1000:.1f} to {report.total_ns / 1000:.1f} us"
                where = f"{where}, {growth.grown}: {fall}"
                yield Finding("falls while it grows", growth.kind, where, _difference(before, report))
            last[placement] = report
        if {"optimal", "greedy"} <= reports.keys():
            optimal, greedy = (reports[name].total_ns for name in ("optimal", "greedy"))
            if optimal > greedy * (1 + _ROUNDING):
                yield Finding("optimal is slower than greedy", growth.kind, _spelled(extents))


def _faults(report: ReportFigures) -> Iterator[str]:
    for op in report.ops:
        if op.roofline_ns > op.elapsed_ns * (1 + _ROUNDING):
            yield "below the roofline"
        if max(op.flops_utilisation, op.dram_utilisation) > 1 + _ROUNDING:
            yield "a share over 100 %"
    if abs(sum(op.elapsed_ns for op in report.ops) - report.total_ns) > _ROUNDING * report.total_ns:
        yield "the total is not that of the ops"


def _difference(before: ReportFigures, after: ReportFigures) -> str:
    """What the library does otherwise: other ops, cores or blocks."""
    names = [" + ".join(op.name for op in report.ops) for report in (before, after)]
    if names[0] != names[1]:
        return f"{names[0]} becomes {names[1]}"
    pairs = zip(before.ops, after.ops, strict=True)
    changes = [
        f"{old.name}: {one} becomes {other}"
        for old, new in pairs
        for one, other in zip(_division(old), _division(new), strict=True)
        if one != other
    ]
    return "; ".join(changes)


def _division(op: OpReport) -> tuple[str, str]:
    """Over how many cores an op goes, and in which blocks."""
    return f"{op.cores} cores", str(op.config)


def _text(kind: str, extents: Extents) -> str:
    with new_context(), ir.Location.unknown():
        return print_module(KINDS[kind][1](extents).module())


def _spelled(extents: Extents) -> str:
    return " ".join(f"{name}={extent}" for name, extent in extents.items())


def main() -> None:
    """Print the findings, and how many there are of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=300, help="ops to draw; 300 by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where findings are kept")
    asked = parser.parse_args()
    rng, findings = Random(asked.seed), list[Finding]()
    for _ in range(asked.ops):
        for finding in check(draw(rng)):
            findings.append(finding)
            print(f"{finding.what}: {finding.kind} {finding.where}  {finding.why or 'UNEXPLAINED'}", flush=True)
    for (what, kind, explained), count in Counter((f.what, f.kind, bool(f.why)) for f in findings).most_common():
        print(f"{count:5} {what}, {kind}{', explained' if explained else ''}")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(f) for f in findings], indent=1) + "\n")


if __name__ == "__main__":
    main()
