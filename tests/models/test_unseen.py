"""The benchmark of networks that the repository does not name: its draw, its rule for depth, its records."""

import json
from collections import Counter
from pathlib import Path

import pytest
from torch import nn

from benchmarks.unseen import draw as draws
from benchmarks.unseen import measure as measuring
from benchmarks.unseen.compare import comparison
from benchmarks.unseen.cut import cut_configuration, cut_modules
from benchmarks.unseen.draw import COUNTS, HALVES, draw, families_of
from benchmarks.unseen.inputs import Sizes, transformers_inputs
from benchmarks.unseen.libraries import Entry
from benchmarks.unseen.measure import Record, measure, read
from benchmarks.unseen.show import text_of

ENTRIES = [Entry("timm", f"{family}_{size}", family) for family in ("alfa", "bravo", "chary") for size in range(9)]


def test_a_draw_follows_from_its_seed():
    assert draw(ENTRIES, set(), 1) == draw(ENTRIES, set(), 1)
    assert draw(ENTRIES, set(), 1) != draw(ENTRIES, set(), 2)


def test_a_family_is_in_one_half_at_most_three_times():
    halves = draw(ENTRIES, set(), 1)
    of_halves = [Counter(name.partition("_")[0] for name in halves[half]["timm"]) for half in HALVES]
    assert not of_halves[0].keys() & of_halves[1].keys()
    assert sorted((of_halves[0] + of_halves[1]).values()) == [3, 3, 3]


def test_families_that_are_named_are_left_out():
    halves = draw(ENTRIES, {"bravo"}, 1)
    assert not any("bravo" in name for half in HALVES for name in halves[half]["timm"])


def test_a_family_that_begins_like_another_is_the_same():
    entries = [Entry("timm", name, "m") for name in ("bravo_1", "bravox_2", "bra_3")]
    assert list(families_of(entries).values()) == ["bravo", "bravo", "bra"]


def test_the_stored_draw_has_two_halves_of_thirty_without_a_name_in_common():
    stored = draws.read()
    names = [set().union(*stored[half].values()) for half in HALVES]
    assert not names[0] & names[1]
    assert stored["counts"] == COUNTS
    assert sum(COUNTS.values()) == 30
    assert all(len(stored[half][library]) > count for half in HALVES for library, count in COUNTS.items())


def test_configurations_keep_two_layers_and_all_widths():
    fields = {
        "num_hidden_layers": 12,
        "hidden_size": 768,
        "num_attention_heads": 12,
        "layer_types": ["sliding", "sliding", "full"] * 4,
        "vision_config": {"depths": [2, 2, 18, 1], "embed_dim": 96, "layer_norm_eps": 1e-6},
    }
    assert cut_configuration(fields) == {
        "num_hidden_layers": 2,
        "hidden_size": 768,
        "num_attention_heads": 12,
        "layer_types": ["sliding", "full"],
        "vision_config": {"depths": [2, 2, 2, 1], "embed_dim": 96, "layer_norm_eps": 1e-6},
    }


def test_indices_of_layers_are_left_where_there_is_such_a_layer():
    assert cut_configuration({"num_layers": 40, "cross_attention_layers": [0, 3, 8]}) == {
        "num_layers": 2,
        "cross_attention_layers": [0],
    }


def test_two_of_equal_blocks_stay():
    model = nn.Sequential(nn.Linear(4, 8), *(nn.Linear(8, 8) for _ in range(5)), nn.ReLU(), nn.Linear(8, 8))
    cut_modules(model)
    assert [str(block) for block in model] == [
        *(
            "Linear(in_features=4, out_features=8, bias=True)",
            *["Linear(in_features=8, out_features=8, bias=True)"] * 2,
        ),
        *("ReLU()", "Linear(in_features=8, out_features=8, bias=True)"),
    ]


def test_inputs_have_the_sizes_of_configurations():
    sizes = Sizes({"vision_config": {"image_size": 336, "num_channels": 4}, "vocab_size": 10}, tokens=128)
    inputs = transformers_inputs(sizes)
    assert inputs["pixel_values"].shape == (1, 4, 336, 336)
    assert inputs["input_ids"].shape == (1, 128)


def record(name: str, us: float, moving: float) -> Record:
    move = {
        "op": "permute",
        "us": 2.0,
        "count": 2,
        "operands": ["2x3"],
        "results": ["3x2"],
        "attributes": {},
        "location": "x",
    }
    figures = {"us": us, "moving_us": moving, "ops": 3, "seconds": 1, "moves": [move]}
    return {"library": "timm", "name": name, "step": "compile", **figures}


def test_reserves_replace_what_cannot_be_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    listed = {"counts": {"timm": 2}, "work": {"timm": ["a", "b", "c", "d"]}}
    monkeypatch.setattr(draws, "read", lambda: listed)

    def run(library: str, name: str, tree: Path, gibibytes: int) -> Record:
        if name == "a":
            return {"library": library, "name": name, "step": "export", "error": "refused"}
        return (
            record(name, 10, 1) if name == "b" else {"library": library, "name": name, "step": "compile", "error": "x"}
        )

    monkeypatch.setattr(measuring, "run", run)
    path = tmp_path / "records.json"
    assert [found["name"] for found in measure(path, "work", [], tmp_path)] == ["a", "b", "c"]
    assert list(measure(path, "work", [], tmp_path)) == []
    assert [found["name"] for found in read(path)] == ["a", "b", "c"]
    assert json.loads(path.read_text().splitlines()[1])["us"] == 10


def test_a_comparison_names_what_got_slower():
    before, after = [record("a", 100, 50), record("b", 100, 10)], [record("a", 50, 10), record("b", 104, 10)]
    assert list(comparison(before, after)) == [
        "before: 2 of 2 networks compile; median share of moves 30.0%, above 20% in 1",
        "after:  2 of 2 networks compile; median share of moves 14.8%, above 20% in 0",
        "geometric mean of time ratios of 2: 0.721",
        "slower: timm b +4.0%, 100.0 to 104.0 µs",
    ]


def test_moves_are_shown_with_their_shapes():
    assert text_of(record("a", 100, 25)).splitlines() == [
        "timm a: 100.0 µs, 25.0% of it moves, 3 ops, compiled in 1 s",
        "       2.0 µs    2 permute                      2x3 -> 3x2  []  x",
    ]
