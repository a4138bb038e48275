"""The real ttnn-visualizer opens the folder: its MCP server links both halves and says what the report says."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import ttstack
from ttstack.compiled_program import Program

pytestmark = pytest.mark.client

ROOT = Path(__file__).parents[2]
Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    with serve_tools(tmp_path_factory.mktemp("home")) as asked:
        yield asked


@contextmanager
def serve_tools(home: Path) -> Iterator[Call]:
    """Asks a tool of the server, by its name and arguments."""
    server = ROOT / ".venv-tools/visualizer/bin/ttnn-visualizer-mcp"
    assert server.exists(), f"{server} is missing: run `make tools`"
    environment = {**os.environ, "USAGE_RECORDING_DISABLED": "true", "HOME": str(home)}
    with subprocess.Popen(
        [server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asks, replies = process.stdin, process.stdout

        def request(method: str, **params: Any) -> Any:
            asks.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
            asks.flush()
            return json.loads(replies.readline())["result"]

        request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "0"})
        yield lambda tool, **given: json.loads(request("tools/call", name=tool, arguments=given)["content"][0]["text"])
        asks.close()


@pytest.mark.parametrize("model", ["dlrm", "encoder_layer"])
def test_both_halves_are_filled_and_linked(call: Call, model: str, tmp_path: Path) -> None:
    check(call, ttstack.compile(ROOT / f"examples/{model}.mlir"), tmp_path / "report")


def check(call: Call, program: Program, folder: Path) -> None:
    """Both halves of the folder are linked, and say what the report says."""
    program.to_visualizer(folder)
    report = program.cost()
    where = {"profiler_path": str(folder / "memory"), "performance_path": str(folder / "performance")}
    opened = call("load_report", **where)
    assert opened["unanswerable"] == []
    handle = opened["handle"]
    top = call("top_ops", handle=handle, limit=len(report.ops) + 1)
    assert top["operation_link"]["status"] == "linked"
    assert top["operation_link"]["matched_rows"] == len(report.ops)
    assert top["device_time_total"] == pytest.approx(report.kernel_ns / 1000, abs=0.01 * len(report.ops))
    memory = call("memory_profile", handle=handle)["memory_by_buffer_type"]
    assert memory["DRAM"]["peak"] == report.memory["dram"].peak // report.memory["dram"].banks
    assert memory.get("L1", {"peak": 0})["peak"] == max(op.l1_bytes - op.circular_buffer_bytes for op in report.ops)
    first = next(op for op in top["ops"] if op["operation_id"] is not None)["operation_id"]
    detail = call("operation_detail", handle=handle, operation_id=first)
    assert detail["perf_row_count"] == 1
    made = detail["outputs"][0]
    (maker,) = call("tensor_flow", handle=handle, tensor_id=made["tensor_id"])["producers"]
    assert maker["operation_id"] == first
