"""Generated parts of pages are in the files, as the product makes them now."""

from pathlib import Path

import pytest
from ttstack_docs import MARKER
from ttstack_docs.in_place import PAGES, refreshed

from tests.docs.pages import DOCS

REWRITES = DOCS / "rewrites.md"
"""Has a test of its own, which takes a while."""


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p != REWRITES and MARKER.search(p.read_text())], ids=lambda p: p.stem
)
def test_parts_are_as_they_are_made(page: Path):
    text = page.read_text()
    assert refreshed(text) == text, f"run: python docs/refresh.py {page.name}"


def test_each_part_ends():
    for page in PAGES:
        text = page.read_text()
        assert all(marker["here"] for marker in MARKER.finditer(text)), page
