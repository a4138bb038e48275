"""Runs the tests that a file names, in its order, as a plugin of pytest."""

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Called by pytest."""
    place = {line: number for number, line in enumerate(Path(os.environ["MUTANTS_CHOSEN"]).read_text().splitlines())}
    items[:] = sorted((i for i in items if i.nodeid in place), key=lambda i: place[i.nodeid])
