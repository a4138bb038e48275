"""The real Model Explorer, its own server and all, opens our files with the adapter that it is told to load.

The extra `explorer` has what that server imports.
"""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

import ttstack
from ttstack.explore.session import open_session

pytestmark = pytest.mark.client

ROOT = Path(__file__).parents[2]
PAGES = ROOT / ".venv-tools/model_explorer"
MODEL = ROOT / "examples/encoder_layer.mlir"
Send = Callable[..., Any]

START = """
import sys
from model_explorer import config, visualize_from_config
chosen = config()
chosen.add_model_from_path(sys.argv[1], adapterId="ttstack")
extension = "ttstack.explore.extension"
visualize_from_config(chosen, "127.0.0.1", int(sys.argv[2]), extensions=[extension], no_open_in_browser=True)
"""


@pytest.fixture(scope="module")
def send() -> Iterator[Send]:
    """Sends a command to the server, which opened a model of text by the adapter's name."""
    assert PAGES.is_dir(), f"{PAGES} is missing: run `make tools`"
    path = os.pathsep.join((str(ROOT), str(PAGES), os.environ.get("PYTHONPATH", "")))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-u", "-c", START, str(MODEL), str(port)]
    environment = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    ) as server:
        assert server.stdout is not None
        address = f"http://127.0.0.1:{port}"
        said = list(itertools.takewhile(lambda line: address not in line, server.stdout))
        assert server.poll() is None, "".join(said)

        def ask(**values: Any) -> Any:
            body = json.dumps({"deleteAfterConversion": False, "settings": {}, **values}).encode()
            request = Request(f"{address}/apipost/v1/send_command", body, {"Content-Type": "application/json"})
            with urlopen(request, timeout=120) as reply:
                return json.load(reply)

        yield ask
        os.killpg(server.pid, signal.SIGTERM)


def test_a_model_has_every_level(send: Send) -> None:
    graphs = send(extensionId="ttstack", cmdId="convert", modelPath=str(MODEL))["graphs"]
    assert [graph["id"] for graph in graphs] == ["ttnn", "dispatched", "ttir", "source"]
    with open_session(str(MODEL), "encoder_layer", None, {}) as session:
        for graph, ours in zip(graphs, session.graphs, strict=True):
            assert [node["id"] for node in graph["nodes"]] == [node.id for node in ours.nodes]


def test_a_program_is_opened_and_coloured(send: Send, tmp_path: Path) -> None:
    program = ttstack.compile(MODEL)
    program.save(tmp_path / "layer.ttb")
    opened = {"modelPath": str(tmp_path / "layer.ttb")}
    (graph,) = send(extensionId="ttstack", cmdId="convert", **opened)["graphs"]
    asked = {"extensionId": "ttstack_overlays", "cmdId": "run", "graphId": graph["id"], "configValues": {}}
    found = send(**asked, **opened)["result"]
    assert "bound" in [overlay["name"] for overlay in found]
    time = next(overlay for overlay in found if overlay["name"] == "time [µs]")
    total = sum(value["value"] for value in time["results"].values())
    assert total == pytest.approx(program.cost().total_ns / 1000, abs=0.01)


def test_what_cannot_be_coloured_is_said(send: Send) -> None:
    asked = {"extensionId": "ttstack_overlays", "cmdId": "run", "graphId": "source", "configValues": {}}
    reply = send(**asked, modelPath=str(MODEL))
    assert "nothing is predicted of the ops of the graph 'source'" in reply["error"]
    assert "choose ttnn" in reply["error"]
