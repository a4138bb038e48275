"""Commands on the pages exist, and the README shows what they print."""

import re
import shlex
from pathlib import Path

import pytest
from ttstack_docs.commands import command_paths, help_text
from ttstack_docs.in_place import PAGES, refreshed
from typer.main import get_command

from tests.docs.pages import DOCS, ROOT, commands, prose
from tests.every import for_every
from ttstack.cli import exit_codes
from ttstack.cli.app import app

COMMANDS = sorted({(page.stem, command) for page in PAGES for command in commands(page)})
TTSTACK = [c for c in COMMANDS if c[1].startswith("ttstack ")]
MAKE = [c for c in COMMANDS if c[1].startswith("make ")]
PATHS = set(command_paths(get_command(app)))


def test_pages_have_commands():
    assert len(TTSTACK) > 15
    assert len(MAKE) > 5


@for_every("page, command", TTSTACK)
def test_commands_and_their_options_exist(page: str, command: str):
    words = shlex.split(command.partition(" > ")[0])[1:]
    while words[0] == "--load":  # of all commands, in front of their names
        assert "--load" in help_text(())
        words = words[2:]
    if words[0].isupper() or words[0].startswith("--"):
        words = ["compile", *words[words[0].isupper() :]]
    path = next(p for p in (tuple(words[:2]), tuple(words[:1])) if p in PATHS)
    known = help_text(path)
    for option in (w for w in words[len(path) :] if w.startswith("-")):
        assert re.search(rf"(^|[ ,]){re.escape(option)}\b", known, re.MULTILINE), option


@for_every("page, command", MAKE)
def test_make_has_the_targets(page: str, command: str):
    target = command.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@for_every("page", PAGES)
def test_links_lead_somewhere(page: Path):
    for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", prose(page)):
        assert (page.parent / link).exists(), link


def test_every_page_can_be_found():
    texts = [page.read_text() for page in PAGES]
    trees = [tree for text in texts for tree in re.findall(r"^```\{toctree\}(.*?)^```", text, re.DOTALL | re.MULTILINE)]
    pages = {str(p.relative_to(DOCS).with_suffix("")) for p in PAGES if p.is_relative_to(DOCS)}
    assert pages - {name for tree in trees for name in tree.split()} == {"index"}


def test_the_readme_shows_what_the_command_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("COLUMNS", "110")
    assert exit_codes.run(["compile", "examples/resnet_block.mlir", "-o", "resnet_block.ttb"]) == 0
    capsys.readouterr()
    assert exit_codes.run(["perf", "resnet_block.ttb"]) == 0
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    readme = (ROOT / "README.md").read_text()
    assert refreshed(readme) == readme, "run: python docs/refresh.py"
    assert printed in readme
