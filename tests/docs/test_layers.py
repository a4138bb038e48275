"""The page of layers is in step with its data, and the data with the networks."""

import json
from typing import Any

import pytest
from ttstack_docs.layers import layer_gaps, layer_summary, layer_tables, library_verdict

from benchmarks.published_models.written import FOLDER, KINDS, WrittenLayer, WrittenOp, written_layers
from tests.docs.pages import DOCS
from ttstack.ops import OPS

LAYERS = written_layers()
FOUND: dict[str, dict[str, Any]] = json.loads((DOCS / "layers.json").read_text())
NETWORKS = [*json.loads((DOCS / "models.json").read_text()), "Stable Diffusion 1.5, UNet"]
"""All that are on the page beside, which knows networks by these names."""


def test_every_network_has_a_layer():
    assert set(NETWORKS) <= {network for layer in LAYERS.values() for network in layer.networks}


def test_every_file_is_a_layer_of_its_own():
    assert len(LAYERS) == len(list(FOLDER.glob("*.yaml")))


def test_the_figures_are_those_of_the_layers():
    assert {name: list(of) for name, of in FOUND.items()} == {
        name: list(layer.networks) for name, layer in LAYERS.items()
    }


@pytest.mark.parametrize("layer", LAYERS.values(), ids=lambda layer: layer.name)
def test_rows_have_all_ops_in_order(layer: WrittenLayer):
    for record in FOUND[layer.name].values():
        names = [op["op"] for op in record["ops"]]
        assert [i for row in layer.aligned(names) for part in row for i in part] == list(range(len(names)))


@pytest.mark.parametrize("layer", LAYERS.values(), ids=lambda layer: layer.name)
def test_every_difference_is_explained(layer: WrittenLayer):
    assert layer.about
    for row in layer.rows:
        assert row.kind in KINDS
        assert {op.name for op in row.ours} <= OPS.keys()
        assert row.extra <= {op.name for op in row.ours}
        here, there = (sum(op.count for op in ops) for ops in (row.ours, filter(_launches, row.theirs)))
        assert row.why or (row.kind == "same" and (not layer.files or here == there))


def _launches(op: WrittenOp) -> bool:
    return op.launches


def test_the_page_has_every_layer_with_its_sources():
    page = layer_tables()
    for name, layer in LAYERS.items():
        assert f"## {name}\n" in page
        for file in layer.files:
            path, _, commit = file.partition("@")
            assert f"/{commit}/{path})" in page
            assert path.startswith("models/")
            assert "test" not in path


def test_the_page_says_what_the_library_takes_of_each_network():
    summary = layer_summary()
    for of in FOUND.values():
        for record in of.values():
            assert f"| {record['judged'] - len(record['refused'])} of {record['judged']}" in summary


def test_ops_that_the_library_refuses_for_the_same_reason_are_counted():
    said = [f"concatenate_heads model.layers.{i} (moe.py:6{i}): no room: L1" for i in range(2)]
    record = {"judged": 7, "refused": [*said, "sort model (moe.py:1): no room: L1"], "refusal": "no room: L1"}
    counted = "4 of 7: `concatenate_heads` 2 times: no room: L1; `sort`: no room: L1"
    assert library_verdict(record) == counted
    assert library_verdict({**record, "refusal": "of the program"}) == f"{counted}; of the program"
    assert library_verdict({"judged": 7, "refused": [], "refusal": ""}) == "7 of 7"


def test_what_is_worse_by_ops_stands_by_its_time():
    times = [float(line.split(" | ")[-2].replace(",", "")) for line in layer_gaps().splitlines()[2:]]
    assert times == sorted(times, reverse=True)
    assert len(times) > 5


def test_ops_that_no_row_has_are_told():
    layer = LAYERS["ViT-base, batch 8"]
    names = [op["op"] for op in FOUND[layer.name]["ViT-base 224"]["ops"]]
    with pytest.raises(ValueError, match="op 0 is gelu, where a row has layer_norm"):
        layer.aligned(["gelu", *names])
    with pytest.raises(ValueError, match=f"no row has op {len(names)}, gelu"):
        layer.aligned([*names, "gelu"])
    with pytest.raises(ValueError, match="is its end, where a row has add"):
        layer.aligned(names[:-1])
