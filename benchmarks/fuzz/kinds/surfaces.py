"""What else takes texts and files of others: names in every medium, requests to `explore`, and the folder of a save."""

import ast
import csv
import io
import json
import random
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import ttstack
from benchmarks.fuzz.case import Files, Kind, Mutator, Promise, on_first
from benchmarks.fuzz.mutate import documents, plain
from tests.test_escape import TEXT, renamed
from ttstack.compiled_program import Program
from ttstack.escape import c_comment_text, printable
from ttstack.explore.commands import ADAPTER, EDITOR, Commands
from ttstack.explore.session import open_session
from ttstack.flatbuffer import beside, safetensors, save
from ttstack.report.csv import csv_text
from ttstack.report.html.page import report_page
from ttstack.ttnn_python import emit_python

_PIECES = (
    *('"""', "'''", '"', "\\", "\n", "\r", "\t", "\0", "\x1b[2J", "\x1b]0;a\x07", "\x85", "\x9b", "\u2028", "\u202e"),
    *("*/", "/*", "//", "#", "]]>", "<script>", "</script>", "<!--", "&amp;", "=1+1", "@x", "{{ x }}", "%s", "{x}"),
    *("raise SystemExit", "name", "ü", "名", "\u200d", "`rm`", "$(x)", ";", "|", "../", "/", ":"),
)
"""What ends or begins something in some medium."""


def _compose(rng: random.Random, _: bytes) -> bytes:
    return "".join(rng.choices(_PIECES, k=rng.randrange(1, 6))).encode()


@cache
def _program() -> Program:
    return ttstack.compile(TEXT)


class _Tags(HTMLParser):
    """The tags of a page, in order, without their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)


@cache
def _plain() -> tuple[list[type], list[str], int]:
    """The syntax of emitted Python, the tags of a page and the rows of a table, where names are plain."""
    return _media(_program(), "model")


def _media(program: Program, name: str) -> tuple[list[type], list[str], int]:
    (function,) = program.binary.functions
    report = program.cost()
    tree = ast.parse(emit_python(program.binary, function, name))
    rows = list(csv.reader(io.StringIO(csv_text(report))))
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@") and len(cell) > 1], "a formula"
    comment = c_comment_text(name)
    assert not {"*/", "/*", "\n"} & {comment[i : i + n] for i in range(len(comment)) for n in (1, 2)}, "a comment ends"
    return [type(node) for node in ast.walk(tree)], _Tags(report_page(report)).tags, len(rows)


def read_names(path: Path) -> str:
    """Check that all media have the names as names; then save and load the program with them."""
    name = path.read_bytes().decode(errors="replace")
    named = replace(_program(), binary=renamed(_program().binary, name))
    assert _media(named, name) == _plain(), "a name became more than a name"
    target = path.with_name("named.ttb")
    save(named.binary, target)
    found = ttstack.load(target).binary.functions[0].name
    assert printable(found) == found, "a control character was accepted"
    return found


@cache
def _commands() -> Commands:
    session = open_session(TEXT, "model", None, {}).__enter__()
    return Commands(session)


_REQUESTS = (
    {"extensionId": ADAPTER, "cmdId": "convert", "modelPath": "/model.ttb"},
    {"extensionId": EDITOR, "cmdId": "get_config_editors"},
    {
        "extensionId": EDITOR,
        "cmdId": "run",
        "graphId": "f",
        "configValues": {"op": "0", "field": "memory", "value": "l1", "base": "0"},
    },
)


def read_request(path: Path) -> str:
    """A request is answered, whatever it asks for."""
    try:
        asked = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return "not JSON"  # the server refuses it
    json.dumps(_commands().answer(asked))
    return "answered"


def read_neighbours(path: Path) -> str:
    """Nothing beside a program vanishes when it is saved but weights that say that they are a program's."""
    mine = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    ours = {p.name for p in path.parent.iterdir() if safetensors.use_of(p) == beside.USE}
    for where in ("beside", "inline"):
        save(_program().binary, path.with_name("model.ttb"), weights=where)
    found = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    lost = {name for name, content in mine.items() if found.get(name) != content} - ours - {"model.ttb"}
    assert not lost, f"{sorted(lost)} are gone or changed"
    for extra in found.keys() - mine.keys():
        path.with_name(extra).unlink()
    return "kept"


def _neighbours() -> list[Files]:
    named = ("model.weights.safetensors", "model.0123456789ab.weights.safetensors", ".model.ttb.0123456789ab.part.mine")
    header = json.dumps({"__metadata__": {"ttstack": "a program of mine"}}).encode()
    content = len(header).to_bytes(8, "little") + header
    return [dict.fromkeys(names, content) for names in ((named[0], named[1]), (named[1], named[2]))]


KINDS = [
    Kind("names", lambda: [{"name": b"forward"}], [Mutator("compose", on_first(_compose))], read_names, None, 20),
    Kind(
        "requests",
        lambda: [{"request.json": json.dumps(request).encode()} for request in _REQUESTS],
        [mutator for mutator in documents.MUTATORS if mutator.promise is Promise.ANY],
        read_request,
        None,
        12,
    ),
    Kind("neighbours", _neighbours, plain.mutators(), read_neighbours, None, 8),
]
