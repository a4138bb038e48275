"""Compilation of a model to an object file."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import InputError, OutputError
from ttstack.dialects.bytecode import bytecode
from ttstack.flatbuffer import safetensors
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.choices import Blas
from ttstack.passes.base import Pipeline
from ttstack.passes.check_supported import check_supported
from ttstack.passes.cpu.entry_points import interface_of
from ttstack.passes.cpu.interface import FunctionInterface, c_name, weights_of
from ttstack.passes.cpu.pipelines import bufferize, linalg_to_loops, loops_to_llvm, use_blas
from ttstack.passes.cpu.use_blas import LIBRARIES
from ttstack.passes.functions import defined_functions
from ttstack.passes.pipelines import lower_to_linalg, ttir_to_linalg
from ttstack.passes.run_timed import run_timed
from ttstack.passes.ttir.functional.version_buffers import VersionBuffers
from ttstack.passes.weights import Weights
from ttstack.program.records import Weight
from ttstack.support.files import replace_files
from ttstack.targets.cpu.header import check_header, header
from ttstack.targets.cpu.link import link_library, openmp_arguments
from ttstack.targets.cpu.objects import Generated, generate

Array = np.ndarray[Any, Any]
Progress = Callable[[str], None]

ENDINGS = (".o", ".so", ".ll", ".mlir")
"""Supported output files, by ending."""
_USE = "a processor's code"
"""The owner that is recorded in the weights file."""


def check_ending(target: Path) -> None:
    """Raise an error unless a file of that name can be saved.

    Raises:
        OutputError: it has another ending.
    """
    if target.suffix not in ENDINGS:
        raise OutputError(
            f"'{target}' is not a file of a processor's code", hint=f"end it with one of {', '.join(ENDINGS)}"
        )


def files_of(target: Path) -> list[Path]:
    """Return the files of a target: with an object or a library also its header, and weights if any."""
    beside = (".h", ".safetensors") if target.suffix in (".o", ".so") else ()
    return [target, *(target.with_suffix(ending) for ending in beside)]


@dataclass(frozen=True)
class NativeProgram:
    """A model as code of this machine's CPU."""

    name: str
    """The prefix of its C functions."""
    functions: tuple[FunctionInterface, ...]
    generated: Generated
    weights: Mapping[str, Array]
    """Known values by name."""
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds of each phase."""
    blas: str | None = None
    """The library for matmuls."""
    openmp: bool = False
    """Whether threads of OpenMP share the loops."""

    def save(self, path: str | Path) -> list[Path]:
        """Write an object, a library, LLVM's text or MLIR's, by the ending; return all written files.

        An object or a library comes with the C header and, if any, the weights: all are written or none.

        Raises:
            OutputError: a file cannot be written or was not written by ttstack, the ending is unsupported, or there is
            no C compiler to link with.
        """
        target = Path(path)
        content, weights = self._content(target), self._held()
        files = files_of(target) if weights else files_of(target)[:2]
        for interface in files[1:2]:
            check_header(interface)
        for values in files[2:]:
            safetensors.check_use(values, _USE)
        layout = safetensors.offsets(weights, _USE) if weights else {}
        with replace_files(*files) as parts:
            parts[0].write(content)
            for part in parts[1:2]:
                part.write(header(self.name, self.functions, layout).encode())
            for part in parts[2:]:
                safetensors.write(part, weights, _USE)
        return files

    def _content(self, target: Path) -> bytes:
        check_ending(target)
        match target.suffix:
            case ".o":
                return self.generated.code
            case ".so":
                blas = LIBRARIES[Blas(self.blas)].linked if self.blas else ()
                return link_library(self.generated.code, (*blas, *(openmp_arguments() if self.openmp else ())))
            case ".ll":
                return self.generated.llvm_ir.encode()
            case _:
                phase = target.with_suffix("").suffix.removeprefix(".") or "llvm"
                if phase in self.generated.stages:
                    return self.generated.stages[phase].encode()
                known = ", ".join(f"NAME.{stage}.mlir" for stage in self.generated.stages)
                raise OutputError(f"there is no phase '{phase}' of '{target}'", hint=f"write one of {known}")

    def _held(self) -> list[Weight]:
        """Return the weights in file order; empty if there are none, or they are unknown."""
        order = weights_of(list(self.functions))
        types = {p.name: p.type for f in self.functions for p in f.parameters}
        if not order or any(name not in self.weights for name in order):
            return []
        return [Weight(name, types[name], self.weights[name]) for name in order]


def compile(  # noqa: A001  (as `ttstack.compile`)
    source: object,
    inputs: object = None,
    *,
    name: str = "model",
    function: str | None = None,
    blas: str | None = None,
    openmp: bool = False,
    dump_ir: Path | None = None,
    progress: Progress | None = None,
) -> NativeProgram:
    """Compile a model, as for `ttstack.compile`, for this machine's CPU.

    Args:
        source: The model.
        inputs: Example inputs, or their shapes.
        name: The prefix of C functions.
        function: The function to compile, if a module has several.
        blas: The library for matmuls, `openblas` or `scipy`; generated loops for None.
        openmp: Whether threads share loops, as many as `OMP_NUM_THREADS`; one thread if libomp is not installed.
        dump_ir: A folder for the module's text after every pass that changed it.
        progress: Called with the name of each phase when it begins.

    Raises:
        UnsupportedOpError: lists all ops without a lowering for CPUs.
        TTStackError: the source is invalid otherwise.
    """
    if blas is not None and blas not in LIBRARIES:
        raise InputError(f"there is no BLAS '{blas}'", hint=f"give one of {', '.join(LIBRARIES)}")
    openmp = openmp and bool(openmp_arguments())
    with import_model(source, inputs, function) as found:
        check_supported(found.module)
        return compile_module(
            found.module, found.weights, c_name(name), blas=blas, openmp=openmp, dump_ir=dump_ir, progress=progress
        )


def compile_module(
    module: ir.Module,
    weights: Mapping[str, Array],
    name: str,
    *,
    blas: str | None = None,
    openmp: bool = False,
    dump_ir: Path | None = None,
    progress: Progress | None = None,
    of_program: bool = False,
) -> NativeProgram:
    """Compile a module of named `ttir` in the current context, in place.

    For a module `of_program`, which is simplified already, parameters are unchanged, and texts of phases are not kept.
    """
    values = Weights.of(weights)
    first = Pipeline((VersionBuffers(), *lower_to_linalg().passes)) if of_program else ttir_to_linalg()
    seconds = run_timed(first.with_weights(values), module, dump_ir=dump_ir, progress=progress)
    functions = tuple(map(interface_of, defined_functions(module)))
    if progress:
        progress("generate code")
    start = time.perf_counter()
    what = f"the code of '{name}'"
    generated = generate(
        bytecode(module), phases(name, blas, openmp=openmp), what, keep_stages=not of_program, dump=dump_ir
    )
    seconds["generate code"] = time.perf_counter() - start
    return NativeProgram(name, functions, generated, values.arrays, seconds, blas, openmp)


def phases(name: str, blas: str | None = None, *, openmp: bool = False) -> dict[str, Pipeline]:
    """Return the pipelines by the name of their result; `blas` is the library for matmuls."""
    products = {"blas": use_blas(blas, (os.cpu_count() or 1) if openmp else 1)} if blas else {}
    loops = {"loops": linalg_to_loops(openmp=openmp), "llvm": loops_to_llvm(name, openmp=openmp)}
    return {"bufferized": bufferize(), **products, **loops}
