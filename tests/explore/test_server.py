"""The server answers this machine's browser about one session, and nobody about files."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ttstack.diagnostics import OutputError
from ttstack.explore.server import ExploreServer
from ttstack.explore.session import Session

Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page in place of Model Explorer's, which `make browser` has."""
    pages = tmp_path / "model_explorer/web_app"
    pages.mkdir(parents=True)
    (pages / "index.html").write_text("a page")
    (tmp_path / "model_explorer/server.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return pages


@pytest.fixture
def ask(installed: Path, session: Session) -> Iterator[Ask]:
    assert installed.exists()
    with ExploreServer() as server:
        server.open(session)
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def answer(method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
            connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
            connection.putrequest(method, path, skip_host="Host" in headers)
            given = {"Content-Length": str(len(body)), **{k.replace("_", "-"): v for k, v in headers.items()}}
            for name, value in given.items():
                connection.putheader(name, value.encode())
            connection.endheaders(body.encode())
            reply = connection.getresponse()
            found = reply.status, reply.read().decode()
            connection.close()
            return found

        yield answer
        server.shutdown()


def test_pages_and_what_they_ask(ask: Ask) -> None:
    assert ask("GET", "/")[0] == 302, "to the page with the model open"
    assert ask("GET", "/?data=%7B%7D") == ask("GET", "/index.html") == (200, "a page")
    assert ask("GET", "/check_health") == (200, "model_explorer_ok")
    ids = [extension["id"] for extension in json.loads(ask("GET", "/api/v1/get_extensions")[1])]
    assert ids == ["ttstack", "ttstack_edit", "tt_adapter", "builtin_json"]
    data = json.loads(json.loads(ask("GET", "/api/v1/load_node_data?node_data_index=0")[1])["content"])
    assert list(data) == ["ttnn"]
    assert "error" in ask("GET", "/api/v1/load_node_data?node_data_index=99")[1]
    assert ask("GET", "/apistream/server_director")[0] == 204


def test_the_protocol_of_tt_explorer(ask: Ask) -> None:
    def send(name: str, **settings: object) -> dict[str, Any]:
        command = {"extensionId": "tt_adapter", "cmdId": name, "modelPath": "/encoder_layer.ttb", "settings": settings}
        status, text = ask("POST", "/apipost/v1/send_command", json.dumps(command), Content_Type="application/json")
        assert status == 200
        (found,) = json.loads(text)["graphs"] or [{}]
        return found

    before = send("convert")
    where = next(
        a["value"] for n in before["nodes"] if n["id"] == "op 0" for a in n["attrs"] if a["key"] == "full_location"
    )
    attributes = [{"key": "buffer_type", "value": "dram"}]
    assert send("execute", overrides={where.replace('"', ""): {"attributes": attributes}}) == {}
    assert (send("status_check")["isDone"], send("status_check")["error"]) == (True, None)
    after = send("convert")
    assert after["overlays"]["perf_data"][after["id"]]["results"] != before["overlays"]["perf_data"]["ttnn"]["results"]


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/server.py", "/%2e%2e/server.py", "//etc/passwd", "/api/v1/read_text_file?path=/etc/passwd"],
)
def test_no_request_reads_a_file(ask: Ask, path: str) -> None:
    assert ask("GET", path)[0] == 404


def test_other_sites_are_refused(ask: Ask) -> None:
    assert ask("GET", "/", Host="somewhere.example")[0] == 403
    assert ask("GET", "/", Origin="http://somewhere.example")[0] == 403
    assert ask("POST", "/apipost/v1/send_command", "{}", Origin="null")[0] == 403


def test_ill_formed_requests(ask: Ask) -> None:
    path, json_ = "/apipost/v1/send_command", {"Content_Type": "application/json"}
    assert ask("POST", path, "{}", Content_Type="text/plain")[0] == 415
    assert ask("POST", path, "{", **json_)[0] == 400
    assert ask("POST", path, "[" * 100_000, **json_)[0] == 400
    for digits in ("99999999999", "9" * 5000, "²"):
        assert ask("POST", path, **json_, Content_Length=digits)[0] == 413
    assert "no node data" in ask("GET", f"/api/v1/load_node_data?node_data_index={'9' * 5000}")[1]
    assert ask("POST", "/apipost/v1/upload", "{}", **json_)[0] == 404
    assert "there is no command" in ask("POST", path, "{}", **json_)[1]


def test_a_port_that_is_taken(installed: Path) -> None:
    assert installed.exists()
    with ExploreServer() as server, pytest.raises(OutputError, match=f"cannot listen on port {server.server_port}"):
        ExploreServer(server.server_port)


def test_without_model_explorer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(OutputError, match="pip install --no-deps ai-edge-model-explorer"):
        ExploreServer()
