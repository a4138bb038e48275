"""`--ttnn`: releases on the command line, compared and kept."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack.cli.exit_codes import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "encoder_layer.mlir"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program, beside the model that it is of."""
    model = Path(shutil.copy(EXAMPLE, tmp_path_factory.mktemp("encoder")))
    path = model.with_suffix(".ttb")
    assert run(["compile", str(model), "-o", str(path)]) == 0
    return path


def test_releases_of_one_program(ttstack: Command, encoder: Path) -> None:
    found = json.loads(ttstack("compare", "--ttnn", "0.54,0.81", encoder, "--json").out)
    assert (found["before"]["ttnn"], found["after"]["ttnn"]) == ("0.54", "0.81")
    changes = {change["figure"]: change for change in found["changes"]}
    heads = changes["movement.head_tiles"]
    assert (heads["before"], heads["after"], heads["since"]) == ("1", "8", "0.60")
    assert heads["delta_ns"] < 0
    assert "DistilBERT" in heads["source"]
    assert "vector.cycles_per_tile.relu" not in changes  # an encoder has none
    parts = [op for op in found["ops"] if op["delta_ns"]]
    assert 0 < len(parts) < len(found["ops"])
    assert sum(op["delta_ns"] for op in parts) == pytest.approx(found["delta_ns"])
    table = ttstack("compare", "--ttnn", "0.54,0.81", encoder).out
    assert table.startswith("encoder_layer, 1x128x768, bf16 on n150, ttnn 0.54 -> n150, ttnn 0.81\n")
    assert "movement.head_tiles: 1 -> 8 since ttnn 0.60" in table
    assert "what ttnn chooses by itself, since 0.55" in table


def test_one_release_is_compared_with_the_programs_own(ttstack: Command, encoder: Path) -> None:
    back = json.loads(ttstack("compare", "--ttnn", "0.54", encoder, "--json").out)
    there = json.loads(ttstack("compare", "--ttnn", "0.54,0.81", encoder, "--json").out)
    assert back["before"]["ttnn"] == "0.81"
    assert back["delta_ns"] == pytest.approx(-there["delta_ns"])


def test_equal_releases_change_nothing(ttstack: Command, encoder: Path) -> None:
    found = json.loads(ttstack("compare", "--ttnn", "0.81,0.81", encoder, "--json").out)
    assert found["notes"] == ["both are ttnn 0.81: nothing changes"]
    assert (found["changes"], found["delta_ns"]) == ([], 0)


def test_a_release_older_than_all_that_is_known_is_extrapolated(ttstack: Command, encoder: Path) -> None:
    oldest, older = (
        json.loads(ttstack("compare", "--ttnn", f"{ttnn},0.81", encoder, "--json").out) for ttnn in ("0.52", "0.20")
    )
    assert older["delta_ns"] == oldest["delta_ns"]
    assert "ttnn 0.20 is older than 0.51, the oldest release with a measurement" in older["notes"][0]
    assert not any("extrapolated" in note for note in oldest["notes"])


def test_a_model_is_compiled_for_each_release(ttstack: Command, encoder: Path) -> None:
    model = encoder.with_suffix(".mlir")
    placed = json.loads(ttstack("compare", "--ttnn", "0.54,0.81", encoder, "--json").out)
    again = json.loads(ttstack("compare", "--ttnn", "0.54,0.81", encoder, "--recompile", model, "--json").out)
    both = json.loads(ttstack("compare", "--ttnn", "0.54,0.81", model, "--json").out)
    assert both == again
    assert both["before"]["total_ns"] < placed["before"]["total_ns"]
    assert both["after"]["total_ns"] == placed["after"]["total_ns"]
    on_another = json.loads(ttstack("compare", "--ttnn", "0.70,0.81", model, "p150", "--json").out)
    assert on_another["after"]["system"] == "p150"


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("--ttnn", "0.75,banana"), 1, "'banana' is not a version of ttnn"),
        (("--ttnn", ""), 1, "'' is not a version of ttnn"),
        (("--ttnn", "0.7,0.8,0.9"), 2, "--ttnn compares two releases, not 3"),
        (("p150", "--ttnn", "0.75"), 2, "leave out OTHER"),
        ((), 2, "missing argument 'OTHER'"),
    ],
)
def test_what_is_not_a_comparison_of_releases(
    ttstack: Command, program: Path, words: tuple[str, ...], code: int, why: str
) -> None:
    found = ttstack("compare", program, *words)
    assert (found.code, found.out) == (code, "")
    assert why in " ".join(found.err.split())


def test_a_program_holds_its_release(ttstack: Command, encoder: Path, tmp_path: Path) -> None:
    older = tmp_path / "older.ttb"
    assert ttstack("compile", encoder.with_suffix(".mlir"), "-o", older, "--ttnn", "0.54").code == 0
    assert ttstack("perf", older).out.startswith("encoder_layer, 1x128x768, bf16 on n150, ttnn 0.54\n")
    report = json.loads(ttstack("perf", older, "--json").out)
    assert report["ttnn"] == json.loads(ttstack("inspect", older, "--json").out)["ttnn"] == "0.54"
    found = json.loads(ttstack("compare", "--ttnn", "0.81", older, "--json").out)
    assert (found["before"]["total_ns"], found["after"]["ttnn"]) == (report["total_ns"], "0.81")
    assert found["delta_ns"] < 0
    refused = ttstack("compile", encoder.with_suffix(".mlir"), "-o", older, "--ttnn", "latest")
    assert (refused.code, "'latest' is not a version of ttnn" in refused.err) == (1, True)


def test_other_commands_take_a_release(ttstack: Command, encoder: Path) -> None:
    shown = ttstack("system-desc", "show", "wormhole", "--ttnn", "0.54").out
    assert "ttnn: '0.54'" in shown
    assert "head_tiles: 1\n" in shown
    attached = ttstack("opt", encoder.with_suffix(".mlir"), "--system-desc", "wormhole", "--ttnn", "0.54").out
    assert "tt.system_desc = @n150_0.54_" in attached
    assert ttstack("opt", encoder.with_suffix(".mlir"), "--ttnn", "0.54").code == 2
