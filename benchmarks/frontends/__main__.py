"""Ops and predicted times of the same network by each way in.

    python -m benchmarks.frontends [NAME ...] [--json FILE]

PyTorch's own export, its ONNX exporter by tracing and the one by torch.export; and those of `jax_networks` in Flax,
where `TTSTACK_JAX_PYTHON` names an interpreter that has it. Figures of networks that are not named stay in the file,
and so do Flax's where there is no such interpreter.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import ttstack
from benchmarks.frontends import plain
from examples.zoo import FAMILIES
from examples.zoo.factory import Example
from ttstack.support.environment import JAX_PYTHON
from ttstack.support.files import write_whole

WAYS = ("pytorch", "onnx, traced", "onnx, exported")
FLAX = "flax"
_VARIABLE = JAX_PYTHON.name
NAMES = [name for family in FAMILIES.values() for name in family] + list(plain.NETWORKS)


def main() -> int:
    """Print a line for each network; 1 where ways differ in ops."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--json", type=Path, help="where figures are kept")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in NAMES]:
        parser.error(f"no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    warnings.simplefilter("ignore")
    kept = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    for name in asked.names or NAMES:
        before = kept.get(name, {}).get(FLAX)
        kept[name] = {way: _figures(name, way) for way in WAYS}
        in_flax = _figures(name, FLAX) if name in _flax_names() else before
        kept[name] |= {FLAX: in_flax} if in_flax else {}
        print(_line(name, kept[name]), flush=True)
        if asked.json:
            write_whole(asked.json, json.dumps({n: kept[n] for n in NAMES if n in kept}, indent=1) + "\n")
    return int(any(_differ(kept[name]) for name in asked.names or NAMES))


def _figures(name: str, way: str) -> dict[str, Any]:
    """Ops by name and microseconds; what was refused instead."""
    try:
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            report = (_of_flax if way == FLAX else _of_torch)(name, way, Path(folder)).cost()
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200]}"}
    ops = Counter(op.name for op in report.ops)
    return {"ops": sum(ops.values()), "us": report.total_ns / 1e3, "names": dict(sorted(ops.items()))}


def _of_zoo(name: str) -> Example:
    return import_module(f"examples.zoo.{name}").small()


def _of_torch(name: str, way: str, folder: Path) -> ttstack.Program:
    model, args, kwargs = plain.make(name) if name in plain.NETWORKS else _of_zoo(name)
    if way == "pytorch":
        return ttstack.compile(torch.export.export(model, args, kwargs))
    path = folder / "model.onnx"
    torch.onnx.export(model, args, str(path), kwargs=kwargs or None, dynamo=way == "onnx, exported", verbose=False)
    return ttstack.compile(str(path))


def _of_flax(name: str, _: str, folder: Path) -> ttstack.Program:
    _flax(name, str(folder / "model.mlir"))
    return ttstack.compile(folder / "model.mlir")


@cache
def _flax_names() -> list[str]:
    """The networks there are in Flax; none without an interpreter that has it."""
    return _flax().split() if _VARIABLE in os.environ else []


def _flax(*arguments: str) -> str:
    """What `jax_networks` prints."""
    command = [os.environ[_VARIABLE], str(Path(__file__).parent / "jax_networks.py"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _differ(found: dict[str, dict[str, Any]]) -> bool:
    return len({json.dumps(figures.get("names")) for figures in found.values() if "refused" not in figures}) > 1


def _line(name: str, found: dict[str, dict[str, Any]]) -> str:
    cells = [
        f"{w}: {f['ops']} ops, {f['us']:.1f} µs" if "ops" in f else f"{w}: {f['refused']}" for w, f in found.items()
    ]
    return f"{name:14} {'; '.join(cells)}{'; ' + _differences(found) if _differ(found) else ''}"


def _differences(found: dict[str, dict[str, Any]]) -> str:
    """What each way has more or fewer of than PyTorch's."""
    first = Counter(found["pytorch"].get("names", {}))
    said = []
    for way, figures in found.items():
        own = Counter(figures.get("names", first))
        more = [f"{own[op] - first[op]:+d} {op}" for op in sorted({*own, *first}) if own[op] != first[op]]
        said += [f"{way} has {', '.join(more)}"] if more else []
    return "; ".join(said)


if __name__ == "__main__":
    sys.exit(main())
