"""The pages build without a warning and without PyTorch, and any static host serves them, a folder without network too."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS

BUILD = "import sys; sys.modules['torch'] = None; from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
_LOADED = re.compile(r"""<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=["']([^"']*)""")
_LINK = re.compile(r"""<a\b[^>]*?\bhref=["']([^"'#?]*)""")
_OF_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?([^"')]+)""")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    arguments = [
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        str(folder / "doctrees"),
        str(DOCS),
        str(folder / "html"),
    ]
    done = subprocess.run([sys.executable, "-c", BUILD, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_pages_build(built: Path):
    assert "ttnn.linear" in (built / "levels.html").read_text()


def test_pages_load_nothing_from_a_network(built: Path):
    pages, styles = list(built.rglob("*.html")), list(built.rglob("*.css"))
    loaded = {url for page in pages for url in _LOADED.findall(page.read_text())}
    loaded |= {url for style in styles for url in _OF_STYLE.findall(style.read_text())}
    assert {url for url in loaded if re.match(r"[a-z]+:|/", url) and not url.startswith("data:")} == set()


def test_links_within_the_pages_are_relative(built: Path):
    links = {(page, link) for page in built.rglob("*.html") for link in _LINK.findall(page.read_text())}
    within = [(page, link) for page, link in links if not re.match("https?:|mailto:", link)]
    wrong = [(page.name, link) for page, link in within if link.startswith("/") or not (page.parent / link).exists()]
    assert wrong == []


def test_search_has_an_index_as_a_script(built: Path):
    """Browsers do not fetch data next to a page that is opened as a file, but load its scripts."""
    assert (built / "searchindex.js").stat().st_size
    assert "searchindex.js" in (built / "search.html").read_text()
