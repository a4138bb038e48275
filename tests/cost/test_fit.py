"""Fitting a preset to measurements: what is fitted depends on the rows alone, and errors are of rows not seen."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ttstack.system_desc import load

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "benchmarks" / "calibration"
PRESET = ROOT / "ttstack" / "system_desc" / "presets" / "wormhole.yaml"
COLUMNS = "op,shape,dtype_in0,dtype_in1,fidelity,memory_layout,grid,measured_time_us,time_kind,board,notes"
ATTENTION = "sdpa,1x8x{0}x128,bf16,bf16,HiFi2,DRAM,8x8,{1},,n150,q_chunk 256 k_chunk 256"
TIMES = {1024: 190.0, 2048: 700.0, 3072: 1700.0, 4096: 2600.0, 6144: 6300.0, 8192: 10600.0}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "op_tables.csv"
    path.write_text("\n".join([COLUMNS, *(ATTENTION.format(*pair) for pair in TIMES.items())]) + "\n")
    return path


def run(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / script), *options]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)


def fit(rows: Path, preset: Path, *options: str) -> subprocess.CompletedProcess[str]:
    only = ("--only", "FlashDecode", "--folds", "2", "--system-desc", str(preset))
    return run("fit.py", str(rows), *only, *options)


@pytest.fixture(scope="module")
def fitted(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fitted") / "mine.yaml"
    path.write_text(PRESET.read_text())
    done = fit(rows, path, "--write", str(path))
    assert done.returncode == 0, done.stderr
    assert "2 folds over shapes:" in done.stdout
    return path


def test_a_fit_gives_the_same_bytes_whatever_the_preset_had(rows: Path, fitted: Path, tmp_path: Path) -> None:
    figure = f"{load(str(fitted)).chips[0].attention.softmax_cycles_per_tile:.4g}"
    other = tmp_path / "other.yaml"
    other.write_text(fitted.read_text().replace(f"softmax_cycles_per_tile: {figure}", "softmax_cycles_per_tile: 250"))
    assert other.read_text() != fitted.read_text()
    done = fit(rows, other, "--check", str(other))
    assert done.returncode == 1
    assert "--write" in done.stderr
    assert fit(rows, other, "--write", str(other)).returncode == 0
    assert other.read_text() == fitted.read_text()


DETERMINED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from rows import read_rows
from search import fit
from stages import Stage
from ttstack.system_desc import load
from ttstack.system_desc.chip_figures import read
starts = {"attention.softmax_cycles_per_tile": 300.0, "pipeline.operand_cycles": 77.0}
chip = fit(read_rows(Path(sys.argv[2])), load("wormhole").chips[0], [Stage("", ("flash attention",), starts)])
print(*(read(chip, path) for path in starts))
"""


def test_figures_that_no_row_depends_on_stay_where_the_search_begins(rows: Path) -> None:
    command = [sys.executable, "-c", DETERMINED, str(SCRIPTS), str(rows)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    softmax, operands = map(float, done.stdout.split())
    assert operands == 77
    assert abs(softmax / 300 - 1) > 0.05


def test_stated_errors_are_those_of_rows_left_out(rows: Path, tmp_path: Path) -> None:
    """Rows of one source are left out by shape; figures stay as they are, a second run changes nothing."""
    preset, page, drawn = tmp_path / "mine.yaml", tmp_path / "page.md", tmp_path / "coverage.svg"
    preset.write_text(PRESET.read_text())
    before = load(str(preset)).chips[0]
    folds = ("--folds", "2", "--folds-over-shapes", "2", "--only", "FlashDecode", "--system-desc", str(preset))
    plot = ("--plot", str(drawn)) if find_spec("matplotlib") else ()
    done = run("errors.py", str(rows), *folds, "--write", str(preset), "--page", str(page), *plot)
    assert done.returncode == 0, done.stderr
    after = load(str(preset)).chips[0]
    assert after.source_errors["flash_attention"].rows == len(TIMES)
    assert after.source_errors["flash_attention"].boards == ("n150",)
    assert "cross-validation over sources" in str(after.source_of("source_errors"))
    assert after.model_copy(update={"source_errors": before.source_errors, "sources": before.sources}) == before
    line = next(line.split() for line in done.stdout.splitlines() if line.startswith("all"))
    assert int(line[1]) == len(TIMES)
    assert 0 <= float(line[2].rstrip("%")) <= float(line[3].rstrip("%")) <= 100
    assert drawn.exists() == bool(plot)
    assert "| *flash attention* | 6 | 1 |" in page.read_text()
    assert run("errors.py", str(rows), *folds, "--check", str(preset)).returncode == 0
