"""What no device does: ops, drawn by a seed and grown dimension by dimension, whose predictions break physics.

    python -m benchmarks.physics [--ops 300] [--seed 1] [--json FILE]

Each op is compiled alone, with each placement, at several extents of one dimension. Findings are: a time that falls
by more than 2 % while the dimension grows, a time below the roofline, a share over 100 %, a total that is not that of
the ops, a faster clock or DRAM that is slower, and a placement `optimal` that is slower than `greedy` by predicted
time alone (`placement_caution=0`). Falls that are the library's: slices that begin within a tile, matmuls and norms
over a number of tiles without divisors.
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
from ttstack.report.model import ReportFigures

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


def _elementwise(mnemonic: str, count: int) -> Callable[[Extents], Case]:
    return lambda e: Case(mnemonic, (_t(e["rows"], e["columns"]),) * count, {})


def _of_rows(mnemonic: str, **attributes: object) -> Callable[[Extents], Case]:
    return lambda e: Case(mnemonic, (_t(e["rows"], e["columns"]),), attributes)


def _concat(e: Extents) -> Case:
    return Case("concat", (_t(e["rows"], e["columns"]), _t(e["rows"], e["columns"])), {"dim": 1})


def _slice(e: Extents) -> Case:
    begins, ends = (0, e["columns"] // 2), (e["rows"], e["columns"])
    return Case("slice_static", (_t(e["rows"], e["columns"]),), {"begins": begins, "ends": ends, "step": (1, 1)})


def _attention(e: Extents) -> Case:
    t = _t(1, e["heads"], e["tokens"], 64)
    return Case("scaled_dot_product_attention", (t, t, t), {"is_causal": True})


def _embedding(e: Extents) -> Case:
    return Case("embedding", (_t(e["tokens"], dtype=DType.UI32), _t(e["rows"], e["columns"])), {})


KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Extents], Case]]] = {
    "matmul": (("m", "k", "n"), _matmul),
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


def draw(rng: Random) -> Growth:
    """Draw an op, its extents, and the dimension that grows."""
    kind = rng.choice(sorted(KINDS))
    names, _ = KINDS[kind]
    extents = {name: rng.choice((4, 8, 12)) if name == "heads" else rng.choice(_EXTENTS) for name in names}
    return Growth(kind, extents, rng.choice(names))


_EXTENTS = (32, 64, 96, 160, 256, 352, 512, 736, 1024, 1504, 2048)


def check(growth: Growth, *, steps: int = 6, placements: Sequence[str] = PLACEMENTS) -> Iterator[Finding]:
    """Compile an op at each step of its growth, and yield what breaks physics."""
    last: dict[str, float] = {}
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
            if report.total_ns < last.get(placement, 0.0) * (1 - FALL):
                fall = f"{last[placement] / 1000:.1f} to {report.total_ns / 1000:.1f} us"
                yield Finding("falls while it grows", growth.kind, f"{where}, {growth.grown}: {fall}")
            last[placement] = report.total_ns
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
            print(f"{finding.what}: {finding.kind} {finding.where}", flush=True)
    for (what, kind), count in Counter((f.what, f.kind) for f in findings).most_common():
        print(f"{count:5} {what}, {kind}")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(f) for f in findings], indent=1) + "\n")


if __name__ == "__main__":
    main()
