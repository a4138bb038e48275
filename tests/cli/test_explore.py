"""`ttstack explore`: graphs as files, and what keeps the page from being served."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_graphs_as_files(ttstack: Command, program: Path, tmp_path: Path) -> None:
    model, folder = program.with_suffix(".mlir"), tmp_path / "graphs"
    result = ttstack("explore", model, "--graphs", folder, "--placement", "dram")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"{folder / 'graphs.json'}: ttnn, dispatched, ttir, source\n"
    written = json.loads((folder / "graphs.json").read_text())
    assert [graph["id"] for graph in written["graphs"]] == ["ttnn", "dispatched", "ttir", "source"]
    assert "time.json" in [path.name for path in folder.iterdir()]
    said = json.loads(ttstack("explore", program, "--graphs", tmp_path / "others", "--json").out)
    assert said == {"file": str(tmp_path / "others" / "graphs.json"), "graphs": ["ttnn", "source"]}
    again = ttstack("explore", model, "--graphs", folder)
    assert (again.code, "is there already" in again.err) == (1, True)


@pytest.mark.parametrize("broken", ["no.mlir", "broken.mlir", "broken.ttb"])
def test_models_that_cannot_be_read(ttstack: Command, tmp_path: Path, broken: str) -> None:
    (tmp_path / "broken.mlir").write_text("func.func @f(")
    (tmp_path / "broken.ttb").write_text("TTB")
    result = ttstack("explore", tmp_path / broken, "--graphs", tmp_path / "graphs")
    assert result.code == 1
    assert result.err.startswith("error[TT0")
    assert not (tmp_path / "graphs").exists()


def test_a_page_that_cannot_be_served_is_refused_before_work(
    ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = ttstack("explore", tmp_path / "no.mlir", "--no-browser")
    if "is not installed" not in missing.err:
        assert "does not exist" in missing.err
    (tmp_path / "model_explorer/web_app").mkdir(parents=True)
    (tmp_path / "model_explorer/web_app/index.html").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = ttstack("explore", tmp_path / "no.mlir", "--no-browser", "--port", port)
    assert f"cannot listen on port {port}: Address already in use" in result.err
