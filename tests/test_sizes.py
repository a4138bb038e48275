"""A file is as long as its one concept needs, and at most 400 lines."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_LINES = 400


@pytest.mark.parametrize("package", ["ttstack", "runtime"])
def test_files_have_at_most_400_lines(package: str):
    files = [path for path in (ROOT / package).rglob("*.py") if "_generated" not in path.parts]
    assert files
    assert not {str(path): n for path in files if (n := len(path.read_text().splitlines())) > MOST_LINES}
