"""A small model that is open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ttstack.explore.session import Session, open_session

ROOT = Path(__file__).parents[2]
MODEL = str(ROOT / "examples/encoder_layer.mlir")


@pytest.fixture
def session() -> Iterator[Session]:
    with open_session(MODEL, "encoder_layer", None, {}) as opened:
        yield opened
