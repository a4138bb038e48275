"""The folder for ttnn-visualizer: whole or not at all, filled, and equal to the report."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import ttstack
from ttstack.compiled_program import Program
from ttstack.diagnostics import OutputError
from ttstack.program.records import Binary
from ttstack.report.report import Report

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(binary: Binary, tmp_path: Path) -> Path:
    Program(binary).to_visualizer(tmp_path / "report")
    return tmp_path / "report"


@pytest.fixture
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / "memory/db.sqlite")) as opened:
        yield opened


def test_all_files_are_there(folder: Path) -> None:
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert found == [
        "memory/cluster_descriptor.yaml",
        "memory/config.json",
        "memory/db.sqlite",
        "performance/manifest.json",
        "performance/ops_perf_results.csv",
        "performance/profile_log_device.csv",
    ]
    first, columns = (folder / "performance/profile_log_device.csv").read_text().splitlines()
    assert first == "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64"
    assert columns.startswith("PCIe slot, core_x")


def test_operations_and_their_tensors(database: sqlite3.Connection, report: Report) -> None:
    rows = database.execute("SELECT * FROM operations ORDER BY operation_id").fetchall()
    assert [name for _, name, _ in rows] == ["ttnn.matmul", "ttnn.reshape", "ttnn.to_layout", "ttnn.softmax"]
    assert sum(seconds for _, _, seconds in rows) == pytest.approx(report.total_ns * 1e-9)
    assert database.execute("SELECT tensor_id FROM input_tensors WHERE operation_id = 1").fetchall() == [(0,), (1,)]
    (config,) = database.execute("SELECT memory_config FROM tensors WHERE tensor_id = 4").fetchone()
    assert config == (
        "MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED,buffer_type=BufferType::L1,shard_spec="
        'ShardSpec(grid={[{"x":0,"y":0}-{"x":3,"y":0}]},shape={32, 512},orientation=ShardOrientation::ROW_MAJOR,halo=0))'
    )


def test_memory_at_each_op_is_that_of_the_report(database: sqlite3.Connection, report: Report) -> None:
    used = "SELECT operation_id, sum(max_size_per_bank) FROM buffers WHERE buffer_type = ? GROUP BY 1"
    l1, dram = (dict(database.execute(used, (kind,)).fetchall()) for kind in (1, 0))
    launched = (1, 3, 5)
    for number, op in zip(launched, report.ops, strict=True):
        assert l1[number] == op.l1_bytes - op.circular_buffer_bytes
        assert dram[number] == op.channel_bytes
    chunks = "SELECT count(*) FROM buffer_chunks WHERE operation_id = 3 AND buffer_type = 1"
    assert database.execute(chunks).fetchone() == (64 + 4,), "the interleaved one is on all cores, the shards on four"


def test_a_folder_that_is_there_is_left_alone(binary: Binary, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    with pytest.raises(OutputError, match="File exists"):
        Program(binary).to_visualizer(tmp_path / "report")
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    with pytest.raises(OutputError, match="No such file"):
        Program(binary).to_visualizer(tmp_path / "no/report")


def test_a_mesh_has_all_its_chips(tmp_path: Path) -> None:
    program = ttstack.compile(ROOT / "examples/dlrm.mlir", system_desc="wormhole_n300")
    program.to_visualizer(tmp_path / "report")
    assert "boardtype:\n  0: n300\n  1: n300" in (tmp_path / "report/memory/cluster_descriptor.yaml").read_text()
