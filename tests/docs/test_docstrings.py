"""Docstrings are sentences."""

import re
from pathlib import Path

import ttstack
import ttstack_runtime

ROOTS = [Path(package.__file__ or "").parent for package in (ttstack, ttstack_runtime)]


def test_no_docstring_needs_the_name_above_it_to_be_a_sentence() -> None:
    """`Of all rows.` below `nbytes` says nothing where tools show it alone."""
    texts = {path: path.read_text() for root in ROOTS for path in root.rglob("*.py") if "_generated" not in path.parts}
    assert [path for path, text in texts.items() if re.search(r'"""Of ', text)] == []
