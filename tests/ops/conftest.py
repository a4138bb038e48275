"""A context with our dialects for all tests of a module."""

from collections.abc import Iterator

import pytest

from ttstack.mlir import ir
from ttstack.session import new_context


@pytest.fixture(scope="module", autouse=True)
def context() -> Iterator[ir.Context]:
    with new_context() as found, ir.Location.unknown():
        yield found
