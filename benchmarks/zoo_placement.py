"""Optimal placement of the small models of the zoo, and how it changed.

`python benchmarks/zoo_placement.py FOLDER [MODEL ...] [--before OLDER]`, where `OLDER` is a folder that an earlier
revision wrote: with its checkout as PYTHONPATH, this file runs there as well. The TTIR of a model is taken from there,
so that both compile the same.
"""

import argparse
import json
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import ttstack

FORMAT = "bf16"
BUDGET = 20.0
"""Seconds of search, for each function."""
WAYS: dict[str, dict[str, Any]] = {
    "dram": {"placement": "dram"},
    "optimal": {"placement": "optimal", "placement_budget": BUDGET},
    "sure": {"placement": "optimal", "placement_budget": BUDGET, "placement_caution": 0.0},
}
"""Options by name; the last takes predicted times for certain."""
_HEAD = (
    *("model", "ops then", "optimal then, µs", "ops", "dram, µs", "optimal, µs", "change"),
    *("without doubt, µs", "classes that changed most, µs"),
)
_SHOWN = 3


def text_of(name: str, path: Path) -> str:
    """The model as TTIR, in a file that is written where it is not there."""
    if not path.exists():
        model, args, kwargs = import_module(f"examples.zoo.{name}").small()
        with torch.no_grad():
            exported = torch.export.export(model, args, kwargs)
        program = ttstack.compile(exported, placement="dram", dtype=FORMAT, keep_ir=True)
        path.write_text(program.binary.stages["ttir"])
    return str(path)


def placed(text: str, options: dict[str, Any]) -> dict[str, Any]:
    """Microseconds of the whole program and of its classes, and where results lie."""
    report = ttstack.compile(text, dtype=FORMAT, **options).cost()
    classes = defaultdict[str, float](float)
    for op in report.ops:
        classes[op.op_class] += op.elapsed_ns / 1e3
    inside = sum(any(t.layout.in_l1 for t in op.results) for op in report.ops)
    return {"us": report.total_ns / 1e3, "ops": len(report.ops), "in_l1": inside, "classes": classes}


def row(name: str, then: dict[str, Any], now: dict[str, Any]) -> str:
    """A row of the table."""
    old, new = then["optimal"], now["optimal"]
    changes = {c: new["classes"].get(c, 0) - old["classes"].get(c, 0) for c in {*old["classes"], *new["classes"]}}
    most = sorted(changes, key=lambda c: -abs(changes[c]))[:_SHOWN]
    cells = [name, old["ops"], f"{old['us']:,.0f}", new["ops"], f"{now['dram']['us']:,.0f}", f"{new['us']:,.0f}"]
    cells += [f"{new['us'] / old['us'] - 1:+.0%}", f"{now['sure']['us']:,.0f}"]
    return f"| {' | '.join(map(str, cells))} | {', '.join(f'{c} {changes[c]:+.0f}' for c in most)} |"


def main() -> None:
    """Compile what the folder has not, then print a row for each model that both have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--before", type=Path, metavar="OLDER")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    families = import_module("examples.zoo").FAMILIES
    for name in given.models or [name for family in families.values() for name in family]:
        kept = given.folder / f"{name}.json"
        if not kept.exists():
            text = text_of(name, (given.before or given.folder) / f"{name}.mlir")
            ways = WAYS if given.before else {way: WAYS[way] for way in ("dram", "optimal")}
            kept.write_text(json.dumps({way: placed(text, options) for way, options in ways.items()}))
    if given.before:
        sys.stdout.write(f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}\n")
        both = sorted(p for p in given.folder.glob("*.json") if (given.before / p.name).exists())
        found = ((p.stem, *(json.loads((f / p.name).read_text()) for f in (given.before, given.folder))) for p in both)
        sys.stdout.write("".join(f"{row(*each)}\n" for each in found))


if __name__ == "__main__":
    main()
