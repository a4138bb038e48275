"""Settings of all tests: examples are the same in every run, and no test depends on how fast the machine is."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ttstack",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ttstack")
