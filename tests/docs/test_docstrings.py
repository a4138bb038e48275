"""Docstrings are sentences."""

import re

from tests.docs.pages import ROOT

FOLDERS = ("ttstack", "runtime", "tests", "benchmarks", "docs", "examples")


def test_no_docstring_needs_the_name_above_it_to_be_a_sentence() -> None:
    """One that says whose it is, and not what, says nothing where tools show it alone."""
    texts = {path: path.read_text() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    assert [path for path, text in texts.items() if re.search(r'"{3}Of\b', text)] == []
