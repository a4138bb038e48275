"""The interpreter that has `ttnn`."""

import os
from pathlib import Path

import pytest

from ttstack.library.run import VARIABLE


@pytest.fixture(scope="session")
def interpreter() -> Path:
    """That of an environment with ttnn; without one nothing here is tested."""
    path = Path(os.environ.get(VARIABLE, ""))
    if not path.is_file():
        pytest.skip(f"no ttnn: {VARIABLE} names no interpreter; `ttstack check --setup DIR` makes one where it can")
    return path
