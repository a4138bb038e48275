"""A local server of Model Explorer's pages for one session.

Model Explorer's own server reads any file that a request names, removes folders that a request names, and checks the
network for newer versions. This one supports only the requests that a session needs, none of which names a file.
"""

import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from ttstack.diagnostics import OutputError
from ttstack.explore.commands import ADAPTER, EXTENSIONS, Commands
from ttstack.explore.session import Session
from ttstack.explore.web_app import content_type, pages
from ttstack.support.whole_number import whole_number

HOST = "127.0.0.1"
_MOST_BYTES = 64 << 20
"""Maximum bytes of a request: an edit includes its graph."""


class ExploreServer(ThreadingHTTPServer):
    """Serves one session, one command after another."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        """Bind the port, a free one for 0; nothing is served before there is a session.

        Raises:
            OutputError: Model Explorer is not installed, or the port is in use.
        """
        self.pages = pages()
        self.lock = threading.Lock()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise OutputError(
                f"cannot listen on port {port}: {error.strerror or error}",
                hint="give another one with --port, or 0 for any that is free",
            ) from error

    def open(self, session: Session) -> None:
        """Serve this session from now on."""
        self.session = session
        self.commands = Commands(session)
        first, *_ = session.versions
        function, *_ = first.binary.functions
        self.overlays = [(overlay, first.graph_id(function)) for overlay in reversed(first.overlays(function))]

    @property
    def authorities(self) -> tuple[str, ...]:
        """Return the host names in valid requests."""
        return tuple(f"{name}:{self.server_port}" for name in (HOST, "localhost"))

    @property
    def address(self) -> str:
        """Return the URL of the page, which redirects to `opened`."""
        return f"http://{self.authorities[0]}/"

    @property
    def opened(self) -> str:
        """Return the URL of the page with the session's program and its overlays, time as the active one."""
        pane = {
            "selectedGraphId": self.session.versions[0].graphs[0].id,
            "selectedCollectionLabel": self.session.path.removeprefix("/"),
            "deepestExpandedGroupNodeIds": [],
            "selectedNodeId": "",
            "widthFraction": 1,
            "selected": True,
        }
        opened = {
            "models": [{"url": self.session.path, "adapterId": ADAPTER}],
            "nodeData": [f"node_data://{quote(overlay.stem)}/{i}" for i, (overlay, _) in enumerate(self.overlays)],
            "nodeDataTargets": [""] * len(self.overlays),
            "uiState": {"paneStates": [pane]},
        }
        return f"/?data={quote(json.dumps(opened))}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _answering(self) -> ExploreServer:
        assert isinstance(self.server, ExploreServer)
        return self.server

    def do_GET(self) -> None:
        """Serve pages, and the requests that a page sends on opening."""
        if not self._is_ours():
            return
        asked = urlsplit(self.path)
        answers = {
            "/check_health": lambda: self._send(b"model_explorer_ok", "text/plain"),
            "/api/v1/check_new_version": lambda: self._json(dict.fromkeys(_VERSION, "")),
            "/api/v1/get_extensions": lambda: self._json([*EXTENSIONS, _JSON_FILES]),
            "/api/v1/load_node_data": lambda: self._node_data(parse_qs(asked.query)),
            "/api/v1/notify_user_provided_model_path": lambda: self._json({"status": "ok"}),
            "/apistream/server_director": lambda: self._send(b"", "text/plain", HTTPStatus.NO_CONTENT),
        }
        if asked.path == "/" and not asked.query:
            self._send(b"", "text/plain", HTTPStatus.FOUND, Location=self._answering.opened)
        elif asked.path in answers:
            answers[asked.path]()
        elif path := self._answering.pages.get(asked.path):
            self._send(path.read_bytes(), content_type(path))
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing of that name")

    def do_POST(self) -> None:
        """Serve JSON commands, which pages of other sites cannot send without a preflight."""
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        if urlsplit(self.path).path != "/apipost/v1/send_command":
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing of that name")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a command is sent as application/json")
        elif (nbytes := whole_number(length)) is None or nbytes > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a command has at most {_MOST_BYTES:,} bytes")
        else:
            self._answer(self.rfile.read(nbytes))

    def _answer(self, body: bytes) -> None:
        try:
            command: object = json.loads(body)
        except (ValueError, RecursionError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, f"the command is not JSON: {error}")
            return
        with self._answering.lock:
            answer = self._answering.commands.answer(command)
        self._json(answer)

    def _is_ours(self) -> bool:
        """Return True if the request names this server, and no page of another site sent it."""
        known = self._answering.authorities
        origins = [None, *(f"http://{authority}" for authority in known)]
        if self.headers.get("Host") in known and self.headers.get("Origin") in origins:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "this server is for this machine's browser alone")
        return False

    def _node_data(self, query: Mapping[str, list[str]]) -> None:
        index, known = query.get("node_data_index", [""])[0], self._answering.overlays
        number = whole_number(index)
        if number is not None and number < len(known):
            overlay, graph = known[number]
            self._json({"content": overlay.file_json(graph)})
        else:
            self._json({"error": f"there is no node data {index!r}"})

    def _json(self, values: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(values).encode(), "application/json", status)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._json({"error": why}, status)

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK, **others: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in others.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name of the class that it is of)
        """Log nothing: the terminal shows only the address."""


_VERSION = ("version", "runningVersion", "releaseUrl", "desktopAppUrl")
_JSON_FILES = {
    "type": "adapter",
    "id": "builtin_json",
    "name": "JSON adapter",
    "description": "Graphs from a JSON file, which the page reads itself",
    "fileExts": ["json"],
}
