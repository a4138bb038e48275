"""Results that are stored as text: a change of one is a line in a diff."""

from difflib import unified_diff
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMAND = "pytest tests/golden --update-golden"


class Golden:
    """Compares text with what is stored, or stores it."""

    def __init__(self, *, update: bool) -> None:
        self.update = update

    def check(self, name: str, text: str) -> None:
        path = HERE / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        stored = path.read_text() if path.exists() else ""
        if text != stored:
            changes = unified_diff(stored.splitlines(), text.splitlines(), "stored", "now", lineterm="", n=0)
            pytest.fail(
                "\n".join([f"{name} changes; if it is meant to, `{COMMAND}`, and the commit says why", *changes]),
                pytrace=False,
            )


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=bool(request.config.getoption("--update-golden")))
