"""Files stay a screen or two: one concept each."""

from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
LINES = {
    str(path.relative_to(ROOT)): len(path.read_text().splitlines())
    for package in ("ttstack", "runtime")
    for path in (ROOT / package).rglob("*.py")
    if "_generated" not in path.parts
}


def test_no_file_is_longer_than_the_longest_was():
    assert not {name: count for name, count in LINES.items() if count > 286}


def test_most_files_are_short():
    assert median(LINES.values()) <= 79


@pytest.mark.parametrize("package", ["ttstack", "runtime"])
def test_there_are_files_to_count(package: str):
    assert any(name.startswith(package) for name in LINES)
