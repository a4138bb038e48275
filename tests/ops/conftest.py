"""A context with our dialects for all tests of a module."""

from collections.abc import Iterator

import pytest

from ttstack.dialects.context import new_context
from ttstack.mlir import ir


@pytest.fixture(scope="module", autouse=True)
def context() -> Iterator[ir.Context]:
    with new_context() as found, ir.Location.unknown():
        yield found
