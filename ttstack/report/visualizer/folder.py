"""The folder that `ttstack perf --visualizer` writes: `memory` and `performance`, linked op by op."""

import json
import sqlite3
from contextlib import closing
from os import PathLike
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import yaml

from ttstack.program.records import Function
from ttstack.report.csv import csv_text
from ttstack.report.model import ReportFigures
from ttstack.report.visualizer.rows import rows
from ttstack.report.visualizer.schema import FILL_BUFFERS, SCHEMA
from ttstack.support.files import new_folder
from ttstack.system_desc import SystemDesc
from ttstack.version import VERSION

_TABLE = "ops_perf_results.csv"
_DEVICE_LOG = "profile_log_device.csv"
_DEVICE_LOG_COLUMNS = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, "
    "trace id counter, zone name, type, source line, source file, meta data"
)


def write_folder(path: str | PathLike[str], function: Function, report: ReportFigures, system: SystemDesc) -> None:
    """Write a new folder, whole or not at all.

    Raises:
        OutputError: there is something of that name, or it cannot be written.
    """
    table = csv_text(report)
    run = str(uuid5(NAMESPACE_URL, table))
    with new_folder(path) as folder:
        memory, performance = folder / "memory", folder / "performance"
        memory.mkdir()
        performance.mkdir()
        _write_database(memory / "db.sqlite", function, report, run)
        name = {"report_name": f"[predicted] {report.function} on {report.system}", "enable_graph_report": True}
        (memory / "config.json").write_text(json.dumps(name))
        (memory / "cluster_descriptor.yaml").write_text(yaml.safe_dump(_cluster(system)))
        (performance / _TABLE).write_text(table, encoding="utf-8")
        (performance / _DEVICE_LOG).write_text(_device_log(report))
        files = {"run_id": run, "artifact": "performance", "ops_csv": _TABLE, "device_log": _DEVICE_LOG}
        (performance / "manifest.json").write_text(json.dumps(files))


def _write_database(path: Path, function: Function, report: ReportFigures, run: str) -> None:
    metadata = {
        "schema_version": "2.1",
        "producer": f"ttstack {VERSION}, predicted",
        "total_duration_ns": str(round(report.total_ns)),
        "run_id": run,
    }
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        database.executemany("INSERT INTO report_metadata VALUES (?, ?)", metadata.items())
        for table, row in rows(function, report):
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        database.execute(FILL_BUFFERS)


def _device_log(report: ReportFigures) -> str:
    """Return the head of the profiler's log: nothing ran, so no zone was timed."""
    clock = round(report.chip.clock_hz / 1e6)
    first = f"ARCH: {report.chip.arch}, CHIP_FREQ[MHz]: {clock}, Max Compute Cores: {report.chip.num_cores}"
    return f"{first}\n{_DEVICE_LOG_COLUMNS}\n"


def _cluster(system: SystemDesc) -> dict[str, object]:
    """Chips at their places in the mesh, and the links between them."""
    chips = dict(enumerate(system.chips))
    _, width = system.mesh_shape
    return {
        "arch": {i: chip.arch for i, chip in chips.items()},
        "chips": {i: [i % width, i // width, 0, 0] for i in chips},
        "ethernet_connections": [
            [{"chip": link.from_chip, "chan": channel}, {"chip": link.to_chip, "chan": channel}]
            for link in system.links
            for channel in range(link.channels)
        ],
        "chips_with_mmio": [{0: 0}],
        "harvesting": {i: {"noc_translation": True, "harvest_mask": 0} for i in chips},
        "boardtype": dict.fromkeys(chips, system.name),
    }
