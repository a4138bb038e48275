"""Device descriptions, overrides and settings of Tensor-Train tables: YAML and JSON."""

import json
import random
from pathlib import Path

import yaml

from benchmarks.fuzz.case import Files, Kind
from benchmarks.fuzz.mutate import documents
from ttstack.options.tensor_train import load_rules
from ttstack.placement.overrides import load_overrides
from ttstack.system_desc import load
from ttstack.system_desc.load import PRESETS, loads
from ttstack.system_desc.serialize import dump, to_dict

_DERIVED = "name: mine\nchips:\n- base: {base}\n  l1:\n    size_bytes: 1 MiB\n"
_OVERRIDES = {
    "ops": [
        {
            "location": "net.py:12*",
            "name": "matmul",
            "memory": "l1",
            "layout": "block_sharded",
            "grid": [8, 8],
            "dtype": "bf16",
        },
        {"location": "*", "memory": "dram"},
        {"location": "a", "operands": [{"memory": "l1", "layout": "interleaved"}, None]},
    ],
    "arguments": [{"name": "weight*", "dtype": "bfp8_b"}],
}
_TABLES = """rel_error: 0.05
min_rows: 1000
tables:
  user*: {max_bytes: 4 MiB, row_factors: 500x24}
  item: {ranks: 16x32}
  other: false
"""


def _devices() -> list[Files]:
    given = [path.read_bytes() for path in sorted(PRESETS.glob("*.yaml"))]
    derived = {"device.yaml": _DERIVED.format(base="other.yaml").encode()}
    beside = {"other.yaml": _DERIVED.format(base="wormhole").encode()}
    return [*({"device.yaml": text} for text in given), derived | beside, derived | beside]


def _overrides() -> list[Files]:
    text = yaml.safe_dump(_OVERRIDES, sort_keys=False).encode()
    return [{"overrides.yaml": text}, {"overrides.json": json.dumps(_OVERRIDES).encode()}]


def read_device(path: Path) -> str:
    """The description in base units."""
    return json.dumps(to_dict(load(path)))


def _dumps_and_loads(path: Path, rng: random.Random) -> str | None:
    if rng.randrange(4):
        return None
    found = load(path)
    return None if loads(dump(found)) == found else "what is dumped loads as another device"


KINDS = [
    Kind("device", _devices, documents.MUTATORS, read_device, _dumps_and_loads, 22),
    Kind("overrides", _overrides, documents.MUTATORS, lambda path: load_overrides(path).text(), None, 36),
    Kind(
        "tensor_train",
        lambda: [{"tables.yaml": _TABLES.encode()}],
        documents.MUTATORS,
        lambda path: repr(load_rules(path)),
        None,
        30,
    ),
]
