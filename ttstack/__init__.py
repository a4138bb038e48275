"""Compile models for Tenstorrent-class devices, and predict the cost of every op, without a device.

import ttstack

program = ttstack.compile("model.mlir", system_desc="wormhole")
print(program.cost().total_ns)
"""

from importlib import import_module

TYPE_CHECKING = False  # `typing` takes its time, in which Ctrl-C would be a traceback
if TYPE_CHECKING:
    from typing import Any

    from ttstack.api import compile, load  # noqa: A004
    from ttstack.compiled_program import Program
    from ttstack.compiled_run import Run
    from ttstack.diagnostics import TTStackError
    from ttstack.partial import PartialProgram, compile_from, compile_to
    from ttstack.report.report import Report
    from ttstack.system_desc import SystemDesc
    from ttstack.training import compile_step
    from ttstack.version import VERSION

    __version__ = VERSION

__all__ = [
    "PartialProgram",
    "Program",
    "Report",
    "Run",
    "SystemDesc",
    "TTStackError",
    "__version__",
    "compile",
    "compile_from",
    "compile_step",
    "compile_to",
    "load",
]

_HOMES = {
    "PartialProgram": "ttstack.partial",
    "Program": "ttstack.compiled_program",
    "Report": "ttstack.report.report",
    "Run": "ttstack.compiled_run",
    "SystemDesc": "ttstack.system_desc",
    "TTStackError": "ttstack.diagnostics",
    "compile": "ttstack.api",
    "compile_from": "ttstack.partial",
    "compile_step": "ttstack.training",
    "compile_to": "ttstack.partial",
    "load": "ttstack.api",
}


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        return import_module("ttstack.version").VERSION
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
