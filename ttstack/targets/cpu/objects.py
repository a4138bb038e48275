"""Conversion of a `ttir` module to an object file, in a child process, as LLVM may crash."""

import ctypes
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.context import as_diagnostics, new_context
from ttstack.mlir import ir
from ttstack.passes.base import Pipeline
from ttstack.passes.dump import dump_hook
from ttstack.passes.printing import Printing
from ttstack.support.isolation import Limits, isolates, run_isolated

_LIMITS = Limits(seconds=1800, nbytes=16 << 30)
"""Limits of code generation; a large model takes a minute."""
_OPTIMIZE = 3
_NOWHERE = ctypes.c_void_p(1)
"""A dummy address of library functions, which nothing calls."""


_OPENMP = re.compile(r"^declare .*@(__kmpc_\w+)\(", re.MULTILINE)
"""Functions of OpenMP's runtime, which appear in LLVM's text."""


@dataclass(frozen=True)
class Generated:
    """The result of code generation."""

    code: bytes
    """The object file."""
    llvm_ir: str
    """The LLVM IR as text."""
    stages: Mapping[str, str] = field(default_factory=dict[str, str])
    """The module's text after each phase, by name; empty unless requested."""


def generate(
    bytecode: bytes, phases: Mapping[str, Pipeline], what: str, *, keep_stages: bool = True, dump: Path | None = None
) -> Generated:
    """Return the object file of a module after `phases` in order; `what` is its name in errors.

    Raises:
        SourceError: the compiler crashed.
    """

    def work() -> Generated:
        return _generate(bytecode, phases, keep_stages, dump)

    return run_isolated(work, what, _LIMITS) if isolates() else work()


def _generate(bytecode: bytes, phases: Mapping[str, Pipeline], keep_stages: bool, dump: Path | None) -> Generated:
    from ttstack.mlir import llvm  # the command that compiles for a device imports this file too

    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(bytecode)
        stages = {"linalg": str(module)} if keep_stages else {}
        for name, phase in phases.items():
            phase.run(module, after=[dump_hook(dump / name, module, Printing())] if dump else ())
            if keep_stages:
                stages[name] = str(module)
        with as_diagnostics("LLVM refuses the module"):
            text = llvm.translate_module_to_llvmir(module.operation)
        return replace(Generated(_object(module, text), text), stages=stages)


def _object(module: ir.Module, text: str) -> bytes:
    """Return the object code, which the engine compiles when a function is looked up, without libraries."""
    from ttstack.mlir import execution_engine

    engine = execution_engine.ExecutionEngine(module, opt_level=_OPTIMIZE, enable_object_dump=True, enable_pic=True)
    process = ctypes.CDLL(None)
    functions = [op.operation for op in module.body.operations if op.operation.name == "llvm.func"]
    for function in functions:
        name = ir.StringAttr(function.attributes["sym_name"]).value
        if not function.regions[0].blocks and not hasattr(process, name):
            engine.raw_register_runtime(name, _NOWHERE)
    for name in _OPENMP.findall(text):
        engine.raw_register_runtime(name, _NOWHERE)
    with tempfile.TemporaryDirectory(prefix="ttstack-") as folder:
        path = Path(folder) / "model.o"
        engine.raw_lookup(ir.StringAttr(functions[-1].attributes["sym_name"]).value)
        engine.dump_to_object_file(str(path))
        if not path.exists():
            raise InvalidIRError("LLVM gave no object file")
        return path.read_bytes()
