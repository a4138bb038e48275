"""JSON output of `env`."""

from typing_extensions import TypedDict


class PackageJson(TypedDict):
    """A package that ttstack needs or can use."""

    name: str
    version: str | None
    """Null if it is not installed."""
    needed: bool
    """True if ttstack requires it."""
    extra: str | None
    """The extra of ttstack that installs it."""


class EnvironmentJson(TypedDict):
    """The machine and the installation."""

    ttstack: str
    folder: str
    """The folder of the installation."""
    python: str
    interpreter: str
    system: str
    machine: str
    """The architecture, such as x86_64."""
    cores: int
    """Number of cores that the process may use."""
    memory_bytes: int
    available_bytes: int
    """Memory that can be allocated without swapping."""
    c_compiler: str | None
    openblas: str | None
    """The library that `--blas openblas` links with."""
    configuration: str | None
    """The configuration file that `compile` reads here."""
    variables: dict[str, str]
    """The environment variables of ttstack that are set."""
    devices: list[str]
    """The device names that `--system-desc` accepts."""
    packages: list[PackageJson]
