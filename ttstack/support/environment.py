"""The environment variables that ttstack reads, in one table."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """An environment variable."""

    name: str
    values: str
    """Its possible values."""
    default: str
    """The behaviour if it is not set."""
    about: str
    scope: str = "commands and Python"
    """The users of the variable."""

    @property
    def value(self) -> str | None:
        """The value; None if it is not set, or empty."""
        return os.environ.get(self.name) or None


LOG = Variable(
    "TTSTACK_LOG",
    "`passes,placement=debug`, `all`, `all=debug`",
    "nothing is logged",
    "Log channels to write to standard error, each with a level, `info` (default) or `debug`.",
)
DEBUG = Variable(
    "TTSTACK_DEBUG",
    "`1`",
    "no traceback of internal errors, and only the user's frames of errors in plug-ins",
    "Print the full Python traceback of internal errors and of errors in plug-ins.",
)
ISOLATE = Variable(
    "TTSTACK_ISOLATE",
    "`0`",
    "untrusted files are read in a child process",
    "Read files and apply patterns in the process itself, for debuggers; a crash then ends the process.",
)
READ_SECONDS = Variable(
    "TTSTACK_READ_SECONDS",
    "seconds, such as `60`",
    "15 s + 4 s for each MiB of the file",
    "Limit of CPU time for reading a model.",
)
READ_MEMORY = Variable(
    "TTSTACK_READ_MEMORY",
    "GiB, such as `8`",
    "2 GiB + 16 times the size of the file",
    "Limit of memory for reading a model.",
)
TTNN_PYTHON = Variable(
    "TTSTACK_TTNN_PYTHON",
    "path of a Python interpreter",
    "`ttstack check` needs `--python`",
    "Interpreter that has the real `ttnn` library.",
    "`ttstack check`, tests, benchmarks",
)
JAX_PYTHON = Variable(
    "TTSTACK_JAX_PYTHON",
    "path of a Python interpreter",
    "models in JAX are left out",
    "Interpreter that has JAX and Flax.",
    "`python -m benchmarks.frontends`",
)
TT_PERF_REPORT = Variable(
    "TTSTACK_TT_PERF_REPORT",
    "path of the program",
    "the one of `make tools`",
    "The program tt-perf-report, to read our CSV files with.",
    "tests",
)

VARIABLES = (LOG, DEBUG, ISOLATE, READ_SECONDS, READ_MEMORY, TTNN_PYTHON, JAX_PYTHON, TT_PERF_REPORT)
"""All variables."""
