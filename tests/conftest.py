"""Settings of all tests: examples are the same in every run, and no test depends on how fast the machine is."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ttstack",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thousand", settings.get_profile("ttstack"), max_examples=1000)
settings.load_profile("ttstack")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="store the results that tests/golden compares with")
