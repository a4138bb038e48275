"""What `make replay` compares: equal in every process, blind to names, and not to values."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "replay"
CASE = "docs/mlp.mlir"


@pytest.fixture(scope="module")
def tool() -> Any:
    """The module that compares; its folder is on the path as it is for a script."""
    sys.path.insert(0, str(FOLDER))
    try:
        import compare

        yield compare
    finally:
        sys.path.remove(str(FOLDER))


def dumped(path: Path, seed: int) -> str:
    command = [sys.executable, str(FOLDER / "dump.py"), str(path), "--only", CASE, "--jobs", "1"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'runtime'}"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return path.read_text()


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> str:
    return dumped(tmp_path_factory.mktemp("dump") / "one.jsonl", seed=1)


def test_two_processes_dump_the_same(dump: str, tmp_path: Path) -> None:
    assert dumped(tmp_path / "two.jsonl", seed=2) == dump
    lines = [json.loads(line) for line in dump.splitlines()]
    assert [(line["case"], line["policy"]) for line in lines] == [(CASE, p) for p in ("dram", "greedy", "optimal")]
    for line in lines:
        (head, *_, last) = line["blocks"]
        assert head[0] == "function forward"
        assert last[1][0][0] == "outputs"


def changed(dump: str, change: Callable[[Any], None]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    before = {(line["case"], line["policy"]): line for line in map(json.loads, dump.splitlines())}
    after = copy.deepcopy(before)
    change(after[CASE, "greedy"]["blocks"])
    return before, after


def rename(blocks: Any) -> None:
    for block in blocks:
        block[1] = [(f"new {label}", value) for label, value in block[1]]
        block[2] = {name: {f"new_{key}": v for key, v in of.items()} for name, of in block[2].items()}


def test_names_of_fields_are_no_difference(tool: Any, dump: str) -> None:
    assert tool.compare(*changed(dump, rename)).lines == []


def test_values_are(tool: Any, dump: str) -> None:
    def change(blocks: Any) -> None:
        blocks[1][2]["ns"]["skew"] = "1000"
        blocks[1][1][0][1] = "9x9"

    found = tool.compare(*changed(dump, change))
    text = "\n".join(found.lines)
    assert f"{CASE} greedy" in text
    assert "ns skew  " in text
    assert " -> 1000 (+" in text
    assert "-> 9x9" in text
    assert (found.cases, found.labels["ns skew"], found.labels["cores"]) == (1, 1, 1)


def test_ops_that_come_and_go_are_listed(tool: Any, dump: str) -> None:
    def change(blocks: Any) -> None:
        blocks[1] = [blocks[1][0].replace("linear", "matmul"), *blocks[1][1:]]

    found = tool.compare(*changed(dump, change))
    signs = sorted(line.strip()[0] for line in found.lines[2:])
    assert signs == ["+", "-"]
