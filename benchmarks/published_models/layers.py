"""One layer of each network, op by op, and what the real library says of the program that it is part of.

    python -m benchmarks.published_models.layers [NAME ...] [--json FILE]

As few layers as needed are compiled for an n150. Ops of a layer are those between the first and the last one of its
modules, by their locations. Where TTSTACK_TTNN_PYTHON names an interpreter that has `ttnn`, all ops of the program are
judged on its mock device. docs/layers.md is made of the JSON file.
"""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.published_models.networks import NETWORKS, Network
from benchmarks.published_models.predict import compiled
from benchmarks.published_models.rewrites import ALL
from benchmarks.published_models.written import WrittenLayer, written_layers
from ttstack import Program
from ttstack.device.layout import Layout
from ttstack.library.run import VARIABLE, check
from ttstack.report.model import OpReport, TensorReport
from ttstack.support.files import write_whole

_NETWORKS: Mapping[str, Network] = {**ALL, **NETWORKS}
_SYSTEM = "wormhole"


def main() -> None:
    """Print the ops of each layer, and whether public code's rows still stand beside them."""
    layers = written_layers()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {'; '.join(layers)}")
    parser.add_argument("--json", type=Path, help="where ops are kept; those of other layers stay")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in layers]:
        parser.error(f"no {', '.join(unknown)}; there are {'; '.join(layers)}")
    kept = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    for name in asked.names or layers:
        kept[name] = {network: _record(layers[name], network) for network in layers[name].networks}
        for network, record in kept[name].items():
            _print(layers[name], network, record)
        if asked.json:
            ordered = {name: kept[name] for name in layers if name in kept}
            write_whole(asked.json, json.dumps(ordered, indent=1) + "\n")


def _record(layer: WrittenLayer, network: str) -> dict[str, Any]:
    program, verdicts = _judged(network, layer.compiled)
    ops = ops_of(layer, program.cost().ops)
    return {"layers": _NETWORKS[network].layers or layer.count, "ops": [_op(op) for op in ops], **verdicts}


@lru_cache(maxsize=1)
def _judged(network: str, layers: int) -> tuple[Program, dict[str, Any]]:
    """A network of so many layers and what the library says of it; layers of one network follow each other."""
    program = compiled(_NETWORKS[network], layers, _SYSTEM)
    return program, _verdicts(program, network)


def ops_of(layer: WrittenLayer, ops: Sequence[OpReport]) -> Sequence[OpReport]:
    """Those of one layer, in the order of execution."""
    own = [op.index for op in ops if any(_within(op, module) for module in layer.modules)]
    if not own:
        raise ValueError(f"{layer.name}: no op comes from {', '.join(layer.modules)}")
    first = own[0] if not layer.after else 1 + max(op.index for op in ops if _within(op, layer.after))
    return ops[first : own[-1] + 1]


def _within(op: OpReport, module: str) -> bool:
    path = op.location.partition(" (")[0]
    return path == module or path.startswith(f"{module}.")


def _op(op: OpReport) -> dict[str, Any]:
    activation = op.attributes.get("activation", "")
    return {
        "op": op.name,
        "activation": str(activation or ""),
        "shape": _shape(op.results),
        "layout": _layout(op.results[0].layout) if op.results else "",
        "us": round(op.elapsed_ns / 1e3, 1),
    }


def _shape(results: Sequence[TensorReport]) -> str:
    shapes = ["x".join(map(str, result.type.shape)) for result in results]
    alike = len(set(shapes)) == 1 and len(shapes) > 1
    return f"{len(shapes)} of {shapes[0]}" if alike else ", ".join(shapes)


def _layout(layout: Layout) -> str:
    """Format and place, in the words of the rows: `bfp8_b, L1 block shards 8x8`, `bf16 rows, DRAM pages`."""
    spread = str(layout.memory_layout).replace("_sharded", " shards").replace("interleaved", "pages")
    grid = f" {layout.grid}" if layout.grid else ""
    return f"{layout.dtype}{'' if layout.tiled else ' rows'}, {layout.memory_space.upper()} {spread}{grid}"


def _verdicts(program: Program, network: str) -> dict[str, Any]:
    """How many ops of the whole program the library takes, and what it says of the others."""
    if not os.environ.get(VARIABLE):
        return {}
    judged = check(program.binary, program.function(None), "".join(filter(str.isalnum, network)))
    refused = [f"{verdict.name} {verdict.location}: {verdict.refusal}" for verdict in judged.refused]
    return {"judged": len(judged.verdicts), "refused": refused, "refusal": judged.refusal}


def _print(layer: WrittenLayer, network: str, record: Mapping[str, Any]) -> None:
    us = sum(op["us"] for op in record["ops"])
    try:
        layer.aligned([op["op"] for op in record["ops"]])
        beside = ""
    except ValueError as differs:
        beside = f", {differs}"
    taken = f", accepted by the library: {_taken(record)}" if "judged" in record else ""
    print(f"{layer.name}: {network}: {len(record['ops'])} ops, {us:.1f} µs{beside}{taken}", flush=True)
    for op in record["ops"]:
        print(f"    {op['us']:8.1f} µs  {op['op']:40} {op['shape']:30} {op['layout']}")


def _taken(record: Mapping[str, Any]) -> str:
    return f"{record['judged'] - len(record['refused'])} of {record['judged']}"


if __name__ == "__main__":
    main()
